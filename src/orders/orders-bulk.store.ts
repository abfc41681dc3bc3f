import type { Transaction } from '../platform/db/database.ts'
import type { Order } from './orders.rules.ts'

/** An order that a feature makes by itself: for a student, or of a public page. */
export type PlannedOrder = { instituteId: number; order: Order }

/** Any number of orders with their lines in one statement; they are read out of one JSON text, a row each. */
export async function insertOrders(tx: Transaction, orders: readonly PlannedOrder[]): Promise<void> {
  await tx.query(
    `with ord as (
       insert into orders (institute_id, id, kind, collector_code, name, phone, email, identifier, student_name, grade,
         stream, academic_year_start, academic_year_end, new_admission, date_of_birth, custom_identifier, notes,
         callback_url, expires_at, created_at, student_id, page_id, plan_id, instalment_id)
       select * from json_to_recordset($1::json) as o (institute_id int, id text, kind text, collector_code text, name text,
         phone text, email text, identifier text, student_name text, grade text, stream text, academic_year_start int,
         academic_year_end int, new_admission boolean, date_of_birth date, custom_identifier text, notes jsonb,
         callback_url text, expires_at timestamptz, created_at timestamptz, student_id text, page_id text,
         plan_id text, instalment_id text)
     )
     insert into order_lines (institute_id, order_id, line_no, component_type, amount_paise)
     select * from json_to_recordset($2::json)
       as l (institute_id int, order_id text, line_no int, component_type text, amount_paise bigint)`,
    [JSON.stringify(orders.map(rowOf)), JSON.stringify(orders.flatMap(lineRowsOf))],
  )
}

function rowOf({ instituteId, order }: PlannedOrder) {
  return {
    institute_id: instituteId,
    id: order.id,
    kind: order.kind,
    collector_code: order.collectorCode,
    name: order.name,
    phone: order.phone,
    email: order.email,
    identifier: order.identifier,
    student_name: order.studentName,
    grade: order.grade,
    stream: order.stream,
    academic_year_start: order.academicYearStart,
    academic_year_end: order.academicYearEnd,
    new_admission: order.newAdmission,
    date_of_birth: order.dateOfBirth,
    custom_identifier: order.customIdentifier,
    notes: order.notes,
    callback_url: order.callbackUrl,
    expires_at: order.expiresAt,
    created_at: order.createdAt,
    student_id: order.studentId,
    page_id: order.pageId,
    plan_id: order.planId,
    instalment_id: order.instalmentId,
  }
}

function lineRowsOf({ instituteId, order }: PlannedOrder) {
  return order.lines.map((line, index) => ({
    institute_id: instituteId,
    order_id: order.id,
    line_no: index + 1,
    component_type: line.componentType,
    amount_paise: line.amountPaise,
  }))
}
