import { field, optional } from '../../http/wire/input.ts'

/** Rows of a list by their keys; so many that an address still takes them. `pickedIds` reads it. */
export const picked = optional(
  field.text(
    'Only these rows of the list, by their ids with commas between them; at most 200.',
    'order_01k9zq4m0ve8sbn6yt2hw3c5da',
    8000,
  ),
)
