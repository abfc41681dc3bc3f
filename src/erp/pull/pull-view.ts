import { assertNever } from '../../platform/assert.ts'
import type { FieldProblem } from '../../platform/errors.ts'
import { toRupees } from '../../platform/money.ts'
import type { ErpRecord } from '../erp.rules.ts'
import type { Fetch, FetchTest } from './log.service.ts'
import type { StudentChange } from '../../students/profile/update.rules.ts'

export function fetchView(fetch: Fetch): Record<string, unknown> {
  return {
    id: fetch.id,
    reason: fetch.reason,
    fetched_at: fetch.fetchedAt.toISOString(),
    duration_ms: fetch.durationMs,
    outcome: fetch.outcome,
    http_status: fetch.httpStatus ?? undefined,
    code: fetch.code ?? undefined,
    message: fetch.message ?? undefined,
    problems: fetch.problems,
    changes: fetch.changes.map(fieldChangeView),
  }
}

export type TestView = {
  outcome: 'found' | 'refused' | 'unavailable' | 'not_configured'
  url?: string
  duration_ms?: number
  http_status?: number | undefined
  code?: string
  acts_as?: string
  message?: string
  problems: readonly FieldProblem[]
} & Partial<ReturnType<typeof recordView>>

/** What a test of the fetch-student endpoint found out. */
export function testView(test: FetchTest): TestView {
  if (test.kind === 'not_configured') return { outcome: 'not_configured', problems: [] }
  const { url, answer } = test
  const common = {
    outcome: answer.kind,
    url,
    duration_ms: answer.durationMs,
    http_status: answer.httpStatus ?? undefined,
  }
  switch (answer.kind) {
    case 'found':
      return { ...common, problems: [], ...recordView(answer.record) }
    case 'refused': {
      const { code, actsAs, message } = answer
      return { ...common, code, acts_as: actsAs, message, problems: [] }
    }
    case 'unavailable': {
      const { reason, message, problems } = answer
      return { ...common, code: reason, message, problems }
    }
    default:
      return assertNever(answer)
  }
}

function recordView({ identity, collectorCode, profile, fees, paymentSchedule, user }: ErpRecord) {
  return {
    student: {
      identifier: identity.identifier,
      fullname: profile.fullname,
      collector_code: collectorCode ?? undefined,
      grade: identity.grade,
      new_admission: profile.newAdmission,
      academic_year_start: identity.academicYearStart,
      academic_year_end: identity.academicYearEnd,
      date_of_birth: profile.dateOfBirth ?? undefined,
      primary_contact_name: profile.contactName,
      primary_contact_email: profile.contactEmail,
      primary_contact_number: profile.contactNumber,
    },
    fee_components: fees.map(fee => ({
      component_type: fee.componentType,
      fee_amount: toRupees(fee.feePaise),
    })),
    payment_schedule: paymentSchedule?.map(row => ({
      due_date: row.dueDate,
      reference_id: row.referenceId ?? undefined,
      identifier: row.identifier ?? undefined,
      is_downpayment: row.isDownpayment,
      details: row.details.map(({ componentType, amountPaise }) => ({
        component_type: componentType,
        amount: toRupees(amountPaise),
      })),
    })),
    user: user ?? undefined,
  }
}

/** What was or is not there is absent. */
function fieldChangeView({ field, before, after }: StudentChange): Record<string, unknown> {
  return { field, before: before ?? undefined, after: after ?? undefined }
}
