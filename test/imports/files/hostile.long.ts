import { after, test } from 'node:test'
import { startBursar } from '../../harness/bursar.ts'
import { assertNoStall, worstFiles } from './hostile-support.ts'

const bursar = await startBursar({ after })

for (const [what, make] of Object.entries(worstFiles(0.3)))
  test(`a file with ${what} keeps no request waiting`, () => assertNoStall(bursar, make()))
