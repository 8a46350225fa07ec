"""What Miki & Umemura (2017) and others published, and how a study compares with it."""
