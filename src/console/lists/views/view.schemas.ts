import { field, input, query } from '../../../http/wire/input.ts'
import { outputOf, type Shown } from '../../../http/wire/output.ts'
import type { View } from './views.store.ts'

const list = field.text('Which list, by its address below the institute.', 'students', 60)

export const viewsQuery = query({ list })

export const viewInput = input({
  list,
  name: field.text('What its owner calls it. One of the same name is replaced.', 'Class 5, owing', 60),
  filters: field.text(
    'Filters and sorting, as they stand in the address.',
    'grade=5&owing=yes&sort=-outstanding_amount',
    1000,
  ),
})

export const viewParams = input({
  view_id: field.resourceId('Id of the view.', 'view_01k9zq4m0ve8sbn6yt2hw3c5da'),
})

const out = outputOf<View>()
export const viewOutput = out.object({
  id: out.text('Id of the view.', 'view_01k9zq4m0ve8sbn6yt2hw3c5da'),
  list: out.text('Which list.', 'students'),
  name: out.text('What its owner calls it.', 'Class 5, owing'),
  filters: out.text('As they stand in the address.', 'grade=5&owing=yes&sort=-outstanding_amount'),
})
export type ViewAnswer = Shown<typeof viewOutput>
