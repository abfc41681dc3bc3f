module bursar

go 1.19
