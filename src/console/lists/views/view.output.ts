import { outputOf, type Shown } from '../../../http/wire/output.ts'
import type { View } from './views.store.ts'

const out = outputOf<View>()
export const viewOutput = out.object({
  id: out.text('Id of the view.', 'view_01k9zq4m0ve8sbn6yt2hw3c5da'),
  list: out.text('Which list.', 'students'),
  name: out.text('What its owner calls it.', 'Class 5, owing'),
  filters: out.text('As they stand in the address.', 'grade=5&owing=yes&sort=-outstanding_amount'),
})
export type ViewAnswer = Shown<typeof viewOutput>
