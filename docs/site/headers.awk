# How Doxygen reads a header (INPUT_FILTER).
#
# A comment before a namespace is on the file, as the word \file says in place of the empty line before the comment.
/^\/\/\// || (/^$/ && held == "") {
  held = held $0 "\n"
  next
}
{
  if (/^namespace / && held ~ /\/\/\//) sub(/^\n/, "/// \\file\n", held)
  # Doxygen takes a template that derives from itself for an endless chain.
  sub(/ : MomentArrays<Array, below\(order\)>/, "")
  printf "%s", held
  print
  held = ""
}
END { printf "%s", held }
