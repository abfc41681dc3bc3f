import { outputOf, type Shown } from '../../http/wire/output.ts'
import type { AuditRow } from './audit.service.ts'

const out = outputOf<AuditRow>()

const actorOutput = out.object({
  kind: out.oneOf(['user', 'command_line'], 'A person, or the command line.', row => row.actorKind),
  id: out.optional.text('Id of the person.', 'staff_01k9zq4m0ve8sbn6yt2hw3c5da', row => row.actorId),
  name: out.text('Their address at that time.', 'asha@example.in', row => row.actorName),
})

export const auditOutput = out.object({
  id: out.text('Id of the entry.', 'audit_01k9zq4m0ve8sbn6yt2hw3c5da'),
  at: out.moment('When, UTC.', '2026-11-15T04:32:10.000Z'),
  actor: out.one('Who did it.', actorOutput, row => row),
  what: out.text('What was done.', 'team.invited'),
  about: out.text('To what, by its id.', 'invite_01k9zq4m0ve8sbn6yt2hw3c5da'),
  why: out.optional.text('The reason that was given.', 'Left the school'),
  before: out.optional.json('As it was.', { role: 'viewer' }),
  after: out.optional.json('As it became.', { role: 'finance' }),
  request_id: out.optional.text('The request that did it.', 'req_01k9zq4m0ve8sbn6yt2hw3c5da'),
  ip: out.optional.text('Where it came from.', '203.0.113.7'),
})

export type AuditAnswer = Shown<typeof auditOutput>
