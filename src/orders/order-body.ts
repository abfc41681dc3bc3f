import type { Static } from 'typebox'
import type { PublicKind } from './orders.rules.ts'
import type { CreateOrderBody } from './orders.schemas.ts'
import type { NewOrder } from './orders.service.ts'

/** What was sent, as the service takes it. */
export function toNewOrder(kind: PublicKind, body: Static<typeof CreateOrderBody>): NewOrder {
  return {
    kind,
    collectorCode: body.collector_code,
    name: body.name,
    phone: body.phone,
    email: body.email,
    identifier: body.identifier ?? null,
    studentName: body.student_name ?? null,
    grade: body.grade ?? null,
    stream: body.stream ?? null,
    academicYearStart: body.academic_year_start ?? null,
    academicYearEnd: body.academic_year_end ?? null,
    newAdmission: body.new_admission ?? false,
    dateOfBirth: body.date_of_birth ?? null,
    customIdentifier: body.custom_identifier ?? null,
    notes: body.notes ?? [],
    callbackUrl: body.callback_url ?? null,
    expiresAt: body.expires_at ?? null,
    lines: body.details.map(detail => ({ componentType: detail.component_type, amountPaise: detail.amount })),
  }
}
