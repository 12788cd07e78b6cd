# Writes a header with one hash of all `sources`. Run by a script call: -Dsources=... -Doutput=...
set(hashes "")
foreach(source IN LISTS sources)
  file(SHA256 ${source} hash)
  string(APPEND hashes ${hash})
endforeach()
string(SHA256 hash "${hashes}")
string(SUBSTRING ${hash} 0 16 hash)
file(WRITE ${output} "#define RONDO_GENERATOR_HASH \"${hash}\"\n")
