import { spawnSync } from 'node:child_process'

/** Everything that needs no server of its own, one part after the other; a part that fails does not hold the next ones up. */
const PARTS = ['test', 'test:slow', 'test:long']

const results = PARTS.map(part => {
  const startedMs = performance.now()
  const { status } = spawnSync('npm', ['run', part], { stdio: 'inherit' })
  return { part, isGood: status === 0, seconds: Math.round((performance.now() - startedMs) / 1_000) }
})
const lines = results.map(
  ({ part, isGood, seconds }) => `${isGood ? 'passed' : 'FAILED'}  npm run ${part}  ${seconds} s`,
)
process.stdout.write(`\n${lines.join('\n')}\n`)
process.exitCode = results.every(({ isGood }) => isGood) ? 0 : 1
