import { outputOf } from '../../http/wire/output.ts'
import type { Count } from './lists.service.ts'

const out = outputOf<Count>()
export const countOutput = out.object({
  count: out.integer('How many there are with these filters.', 1234),
  is_more: out.flag('There are more than that: nobody counted on.', false),
})
