import { after, test } from 'node:test'
import { runCollegeYear } from './college/college-year.ts'

const SEED = 20261119
const STUDENTS = 24

test('a year of a college where most pay by transfer: books equal to the paisa, every line of the bank matches by itself', async t => {
  const { transfers, orders, statementLines } = await runCollegeYear({
    seed: SEED,
    students: STUDENTS,
    owner: { after },
  })
  t.diagnostic(`${transfers} transfers, ${orders} orders, ${statementLines} lines of statements`)
})
