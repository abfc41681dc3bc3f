import { toRupees, ZERO, type Paise } from '../platform/money.ts'
import { balanceOf, summariseFees, type Discount, type FeeSummary } from '../fees/fees.rules.ts'
import type { ProfileChange } from './profile/profile.service.ts'
import type { StudentChange } from './profile/update.rules.ts'
import type { RecordedChange, StudentRecord } from './students.service.ts'

export function studentView({
  student,
  registrationIds,
  fees,
  paid,
}: StudentRecord): Record<string, unknown> {
  return {
    service_student_id: student.id,
    registration_ids: registrationIds,
    status: student.status,
    fullname: student.fullname,
    identifier: student.identifier,
    custom_identifier: student.customIdentifier ?? undefined,
    collector_code: student.collectorCode,
    grade: student.grade,
    new_admission: student.newAdmission,
    academic_year_start: student.academicYearStart,
    academic_year_end: student.academicYearEnd,
    date_of_birth: student.dateOfBirth ?? undefined,
    primary_contact_name: student.contactName,
    primary_contact_number: student.contactNumber,
    primary_contact_email: student.contactEmail,
    fee_summary: summaryView(summariseFees(fees, paid)),
    created_at: student.createdAt.toISOString(),
    updated_at: student.updatedAt.toISOString(),
  }
}

export function feeView(record: StudentRecord, history: readonly RecordedChange[]): Record<string, unknown> {
  return {
    service_student_id: record.student.id,
    fee_summary: summaryView(summariseFees(record.fees, record.paid)),
    fee_components: record.fees.map(fee => {
      const paidPaise = record.paid.get(fee.componentType) ?? ZERO
      const balance = balanceOf(fee, paidPaise)
      return {
        component_type: fee.componentType,
        ...priceView(fee.feePaise, fee.discounts),
        paid: toRupees(paidPaise),
        outstanding: toRupees(balance.outstandingPaise),
        advance: toRupees(balance.advancePaise),
        history: history.filter(change => change.componentType === fee.componentType).map(changeView),
      }
    }),
  }
}

export function profileChangeView({ changedAt, source, changes }: ProfileChange): Record<string, unknown> {
  return { changed_at: changedAt.toISOString(), source, changes: changes.map(fieldChangeView) }
}

/** What was or is not there is absent. */
export function fieldChangeView({ field, before, after }: StudentChange): Record<string, unknown> {
  return { field, before: before ?? undefined, after: after ?? undefined }
}

function changeView(change: RecordedChange): Record<string, unknown> {
  const { feeBeforePaise, discountsBefore } = change
  return {
    changed_at: change.changedAt.toISOString(),
    source: change.source,
    note: change.note ?? undefined,
    before: feeBeforePaise === null ? undefined : priceView(feeBeforePaise, discountsBefore ?? []),
    after: priceView(change.feeAfterPaise, change.discountsAfter),
  }
}

function priceView(feePaise: Paise, discounts: readonly Discount[]): Record<string, unknown> {
  return {
    fee_amount: toRupees(feePaise),
    discounts: discounts.map(({ discountType, valuePaise }) => ({
      discount_type: discountType,
      value: toRupees(valuePaise),
    })),
  }
}

function summaryView(summary: FeeSummary): Record<string, number> {
  return {
    total_fee: toRupees(summary.totalFeePaise),
    discount: toRupees(summary.discountPaise),
    paid: toRupees(summary.paidPaise),
    outstanding: toRupees(summary.outstandingPaise),
    advance: toRupees(summary.advancePaise),
  }
}
