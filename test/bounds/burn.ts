/** Uses a core and nothing else, as the process that reads somebody's file does; it ends with whoever started it. */
process.on('disconnect', () => process.exit())

function burn(): void {
  for (let round = 0; round < 1_000_000; round++) Math.sqrt(Math.random())
  setImmediate(burn)
}

burn()
