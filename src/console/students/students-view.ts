import { lateFeeEntryOutput, studentPaymentOutput, toDuesJson } from '../../dues/dues.output.ts'
import type { Dues } from '../../dues/dues.service.ts'
import { totalOf } from '../../orders/orders.rules.ts'
import { toRupees, type Paise } from '../../platform/money.ts'
import { directPaymentOutput } from '../../students/direct-payments/direct-payment.output.ts'
import type { Discount } from '../../fees/fees.rules.ts'
import type { Asked } from './actions.service.ts'
import type { FetchedAnswer, StudentRowAnswer, TimelineEntryAnswer } from './students.schemas.ts'
import type { ListedStudent, StudentMoney, StudentPage, TimelineRow } from './students.service.ts'

/** Students as the console's API answers them. */
export function rowView(student: ListedStudent): StudentRowAnswer {
  return {
    service_student_id: student.id,
    fullname: student.fullname,
    identifier: student.identifier,
    ...(student.customIdentifier === null ? {} : { custom_identifier: student.customIdentifier }),
    collector_code: student.collectorCode,
    grade: student.grade,
    grade_name: student.gradeName,
    academic_year_start: student.academicYearStart,
    academic_year_end: student.academicYearEnd,
    status: student.status,
    primary_contact_name: student.contactName,
    primary_contact_number: student.contactNumber,
    primary_contact_email: student.contactEmail,
    paid_amount: toRupees(student.paidPaise),
    outstanding_amount: toRupees(student.owedPaise),
  }
}

/** Where the page of an order is. */
type Place = { instituteCode: string; publicUrl: string }

export function pageView(page: StudentPage, place: Place) {
  const { dues, users, onTheWay } = page
  const { student, gradeName } = dues.context
  return {
    service_student_id: student.id,
    fullname: student.fullname,
    identifier: student.identifier,
    custom_identifier: student.customIdentifier ?? undefined,
    collector_code: student.collectorCode,
    grade: student.grade,
    grade_name: gradeName,
    academic_year_start: student.academicYearStart,
    academic_year_end: student.academicYearEnd,
    status: student.status,
    new_admission: student.newAdmission,
    date_of_birth: student.dateOfBirth ?? undefined,
    primary_contact_name: student.contactName,
    primary_contact_number: student.contactNumber,
    primary_contact_email: student.contactEmail,
    created_at: student.createdAt.toISOString(),
    updated_at: student.updatedAt.toISOString(),
    users: users.map(({ registrationId, name, phone, email }) => ({
      registration_id: registrationId,
      name,
      phone,
      email,
    })),
    siblings: page.siblings.map(siblingView),
    dues: toDuesJson(dues, onTheWay),
    discounts: dues.lines.flatMap(({ componentType, discounts }) =>
      discounts.map(discount => ({ component_type: componentType, ...discountView(discount) })),
    ),
    late_fee_entries: page.lateFeeEntries.map(entry => lateFeeEntryOutput.toJson(entry)),
    open_orders: page.openOrders.map(order => ({
      order_id: order.id,
      amount: toRupees(totalOf(order)),
      redirect_url: `${place.publicUrl}/pay/${place.instituteCode}/${order.id}`,
      created_at: order.createdAt.toISOString(),
    })),
    has_erp: page.hasErp,
  }
}

function siblingView({ context: { student, gradeName }, totalPaise }: Dues) {
  return {
    service_student_id: student.id,
    fullname: student.fullname,
    identifier: student.identifier,
    grade_name: gradeName,
    status: student.status,
    total_amount: toRupees(totalPaise),
  }
}

export function discountView({ discountType, valuePaise }: Discount) {
  return { discount_type: discountType, amount: toRupees(valuePaise) }
}

export function moneyView({ online, direct }: StudentMoney) {
  return {
    online: online.map(payment => studentPaymentOutput.toJson(payment)),
    direct: direct.map(payment => directPaymentOutput.toJson(payment)),
  }
}

export function timelineView({ id, at, kind, what, by, why, raw }: TimelineRow): TimelineEntryAnswer {
  return {
    id,
    at: at.toISOString(),
    kind,
    what,
    ...(by === null ? {} : { by }),
    ...(why === null ? {} : { why }),
    raw: kind === 'fee' ? feeRaw(raw as FeeRaw) : kind === 'waiver' ? waiverRaw(raw as WaiverRaw) : raw,
  }
}

type FeeRaw = {
  source: string
  feeBefore: Paise | null
  discountsBefore: Discount[] | null
  feeAfter: Paise
  discountsAfter: Discount[]
}

/** Rupees, as everywhere on the wire. */
function feeRaw({ source, feeBefore, discountsBefore, feeAfter, discountsAfter }: FeeRaw) {
  return {
    source,
    ...(feeBefore === null ? {} : { before: priceView(feeBefore, discountsBefore ?? []) }),
    after: priceView(feeAfter, discountsAfter),
  }
}

function priceView(feePaise: Paise, discounts: readonly Discount[]) {
  return { fee_amount: toRupees(feePaise), discounts: discounts.map(discountView) }
}

type WaiverRaw = { amount: Paise }

function waiverRaw({ amount }: WaiverRaw) {
  return { amount: toRupees(amount) }
}

export function fetchedView(asked: Asked): FetchedAnswer {
  const changes = asked.kind === 'found' ? asked.changes : []
  return {
    outcome: asked.kind,
    ...(asked.kind === 'refused' ? { code: asked.code, message: asked.message } : {}),
    ...(asked.kind === 'unavailable' ? { code: asked.reason, message: asked.message } : {}),
    problems: asked.kind === 'unavailable' ? [...asked.problems] : [],
    changes: changes.map(({ field, before, after }) => ({
      field,
      ...(before === null ? {} : { before }),
      ...(after === null ? {} : { after }),
    })),
  }
}
