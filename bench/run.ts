import { describe, isMet } from './figures.ts'
import { GROUPS } from './groups.ts'
import { fullSize, LEAST } from './size.ts'

/**
 * `npm run bench [-- SECONDS|least [GROUP …]]`: how long each round loads, 4 by default, and some groups instead of
 * all. `least` only shows that they run. Exits 1 when a figure misses its aim.
 */
const [time = '4', ...names] = process.argv.slice(2)
const size = time === 'least' ? LEAST : fullSize(Number(time))
const wanted = names.length === 0 ? Object.keys(GROUPS) : names
if (!(size.seconds > 0) || wanted.some(name => !Object.hasOwn(GROUPS, name))) {
  process.stderr.write(`Usage: npm run bench -- SECONDS|least [${Object.keys(GROUPS).join('|')}]\n`)
  process.exit(2)
}

let isShort = false
for (const name of wanted) {
  for (const figure of (await GROUPS[name]?.(size)) ?? []) {
    isShort ||= !isMet(figure)
    process.stdout.write(`${describe(figure)}\n`)
  }
}
process.exit(isShort ? 1 : 0)
