import { outputOf } from '../../http/wire/output.ts'
import type { Count } from './lists.service.ts'

const out = outputOf<Count>()
export const countOutput = out.object({
  count: out.integer('How many there are with these filters.', 1234),
  is_more: out.flag('There are more than that: nobody counted on.', false),
})

const all = outputOf<{ keys: string[] }>()
export const keysOutput = all.object({
  keys: all.texts('Of all that match, in the order of the list.', ['order_01k9zq4m0ve8sbn6yt2hw3c5da']),
})
