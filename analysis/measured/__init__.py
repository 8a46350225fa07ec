"""Tables that were measured on other machines."""
