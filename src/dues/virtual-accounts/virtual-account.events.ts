import { defineEvent, newEvent, type NewEvent } from '../../events/define-event.ts'
import { outputOf } from '../../http/wire/output.ts'
import type { StudentContext } from '../../students/student-contexts.service.ts'
import { ofStudent, type StudentInEvent } from '../../students/student.events.ts'
import { virtualAccountBlock } from './virtual-account.schemas.ts'
import type { OpenVirtualAccount } from './virtual-accounts.store.ts'

const out = outputOf<StudentInEvent & { account: OpenVirtualAccount }>()
const payload = out.object({
  ...ofStudent,
  virtual_account: out.one('The account number.', virtualAccountBlock, ({ account }) => account),
})

export const virtualAccountEvents = {
  'virtual_account.created': defineEvent('A student has an account number of its own.', payload),
  'virtual_account.closed': defineEvent(
    'Its student has left. A person decides about money that still comes to it.',
    payload,
    { virtual_account: { status: 'closed' } },
  ),
}

export function virtualAccountEvent(
  code: keyof typeof virtualAccountEvents,
  { instituteId, context, at }: { instituteId: number; context: StudentContext; at: Date },
  account: OpenVirtualAccount,
): NewEvent {
  const { id: resourceId, collectorCode } = context.student
  const about = { instituteId, collectorCode, resourceId, occurredAt: at }
  return newEvent(virtualAccountEvents, code, about, { ...context, account })
}
