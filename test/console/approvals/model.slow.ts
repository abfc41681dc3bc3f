import { after, test } from 'node:test'
import { startBursar } from '../../harness/bursar.ts'
import { runApprovalModel } from './model.ts'

const bursar = await startBursar({ after })

test('no child gets more than one person may give, over many draws of acts at once', () =>
  runApprovalModel(bursar, { seeds: [2, 3, 4, 5, 6], rounds: 15 }))
