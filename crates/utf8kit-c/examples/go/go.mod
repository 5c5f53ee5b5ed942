module example.com/utf8kit

go 1.19
