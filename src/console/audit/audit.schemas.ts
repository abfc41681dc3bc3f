import { Type, type Static } from 'typebox'
import { field, shown } from '../../http/wire/fields.ts'

const anything = (description: string) =>
  Type.Unsafe<unknown>({ description, examples: [{ role: 'finance' }] })

export const AuditQuery = Type.Object({
  who: Type.Optional(field.resourceId({ description: 'Only what this person did.' })),
  what: Type.Optional(field.code({ description: 'Only acts of this kind.', examples: ['team.invited'] })),
  about: Type.Optional(field.identifier({ description: 'Only what was done to this.' })),
  from: Type.Optional(field.rangeStart({ description: 'From this moment, or the start of this day, on.' })),
  to: Type.Optional(field.rangeEnd({ description: 'Before this moment, or up to the end of this day.' })),
  limit: Type.Optional(field.pageSize()),
  cursor: Type.Optional(field.resourceId({ description: '`next_cursor` of the page before.' })),
})

export const AuditView = Type.Object({
  id: shown.text({ description: 'Id of the entry.' }),
  at: shown.moment({ description: 'When, UTC.' }),
  actor: Type.Object({
    kind: shown.oneOf(['user', 'command_line'] as const, { description: 'A person, or the command line.' }),
    id: Type.Optional(shown.text({ description: 'Id of the person.' })),
    name: shown.text({ description: 'Their address at that time.' }),
  }),
  what: shown.text({ description: 'What was done.', examples: ['team.invited'] }),
  about: shown.text({ description: 'To what, by its id.' }),
  why: Type.Optional(shown.text({ description: 'The reason that was given.' })),
  before: Type.Optional(anything('As it was.')),
  after: Type.Optional(anything('As it became.')),
  request_id: Type.Optional(shown.text({ description: 'The request that did it.' })),
  ip: Type.Optional(shown.text({ description: 'Where it came from.' })),
})

export type AuditAnswer = Static<typeof AuditView>
