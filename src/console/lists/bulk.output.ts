import { outputOf, type Shown } from '../../http/wire/output.ts'
import type { Bulk, LeftOut } from './bulk.rules.ts'

const left = outputOf<LeftOut>()
const leftOutOutput = left.object({
  id: left.text('Its id.', 'order_01k9zq4m0ve8sbn6yt2hw3c5da'),
  name: left.text('As the list shows it.', 'Asha Rao'),
  why: left.text('Why it was left out.', 'This payment link is paid already and cannot be cancelled.'),
})

const out = outputOf<Bulk>()
export const bulkOutput = out.object({
  done: out.integer('How many it was done to.', 38, ({ done }) => done.length),
  left_out: out.list('What was left out, and why.', leftOutOutput),
})
export type BulkAnswer = Shown<typeof bulkOutput>
