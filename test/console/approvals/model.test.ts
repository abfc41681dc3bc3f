import { after, test } from 'node:test'
import { startBursar } from '../../harness/bursar.ts'
import { runApprovalModel } from './model.ts'

const bursar = await startBursar({ after })

test('however acts that give money away are drawn and interleaved, no child gets more than one person may give', () =>
  runApprovalModel(bursar, { seeds: [1], rounds: 8 }))
