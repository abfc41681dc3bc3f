import { inspect } from 'node:util'
import { globalSetup, globalTeardown } from '../harness/global-setup.ts'
import { runStorm } from './payments-model.ts'

/** `npm run storm -- [seed] [acts]`: the model for as long as you like, on a PostgreSQL of its own. */
const seed = Number(process.argv[2] ?? Math.floor(Math.random() * 1_000_000))
const acts = Number(process.argv[3] ?? 3_000)
if (!Number.isSafeInteger(seed) || !Number.isSafeInteger(acts)) {
  console.error('usage: npm run storm -- [seed] [acts]')
  process.exit(2)
}

const begun = Date.now()
const cleanups: (() => Promise<void> | void)[] = []
const seconds = (): number => Math.round((Date.now() - begun) / 1_000)
const isTerminal = process.stdout.isTTY
console.log(`seed ${seed}, ${acts} acts`)
await globalSetup()
try {
  const result = await runStorm({
    seed,
    acts,
    owner: { after: done => void cleanups.unshift(done) },
    onProgress: (done, summary) => {
      if (isTerminal) process.stdout.write(`\r  ${done} of ${acts} acts, ${summary}, ${seconds()} s `)
      else if (done % 500 === 0) console.log(`  ${done} of ${acts} acts, ${summary}, ${seconds()} s`)
    },
  })
  console.log(
    `${isTerminal ? '\n' : ''}everything held after ${acts} acts in ${seconds()} s:`,
    inspect(result),
  )
} catch (error) {
  console.error(`${isTerminal ? '\n' : ''}${inspect(error)}\nagain: npm run storm -- ${seed} ${acts}`)
  process.exitCode = 1
} finally {
  for (const cleanup of cleanups) await cleanup()
  await globalTeardown()
}
