import { field, optional, query } from '../../http/wire/input.ts'

export const auditQuery = query({
  who: optional(field.resourceId('Only what this person did.', 'staff_01k9zq4m0ve8sbn6yt2hw3c5da')).as(
    'actorId',
  ),
  what: optional(field.code('Only actions of this kind.', 'team.invited')),
  about: optional(field.identifier('Only what was done to this.', 'order_01k9zq4m0ve8sbn6yt2hw3c5da')),
  from: optional(field.rangeStart('From this moment, or the start of this day, on.')),
  to: optional(field.rangeEnd('Before this moment, or up to the end of this day.')).as('before'),
  limit: field.pageSize(),
  cursor: field.cursor('audit_01k9zq4m0ve8sbn6yt2hw3c5da'),
})
