/** Uses a core and nothing else, as the process that reads somebody's file does. */
for (;;) Math.sqrt(Math.random())
