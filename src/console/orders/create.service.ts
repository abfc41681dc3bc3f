import { refuseOnTheWay } from '../../dues/on-the-way.service.ts'
import { listEntries } from '../../institutes/catalogue.service.ts'
import type { Institute } from '../../institutes/institutes.rules.ts'
import { createOrder, type AskedOrder, type CreatedOrder } from '../../orders/orders.service.ts'
import type { Context } from '../../platform/context.ts'
import { badFields } from '../../platform/errors.ts'
import type { Command } from '../../platform/idempotency.ts'
import { getStudent } from '../../students/students.service.ts'
import { pickFee } from './orders.rules.ts'

/** `hasNewFee`: a fee that the catalogue does not have yet is meant, not mistyped. */
export type MadeOrder = AskedOrder & { hasNewFee: boolean }

/**
 * A link or order that somebody makes by hand. Its fees are those of the catalogue, also where they are written as the
 * console writes them: a fee under another name than the student's own would pay nothing of its dues.
 */
export async function makeOrder(
  ctx: Context,
  command: Command<CreatedOrder>,
  institute: Institute,
  { hasNewFee, ...asked }: MadeOrder,
): Promise<CreatedOrder> {
  const known = (await listEntries(ctx, institute, 'component')).map(({ code }) => code)
  const picked = asked.lines.map(line => ({ ...line, fee: pickFee(line.componentType, known) }))
  const problems = picked.flatMap(({ fee }, index) =>
    fee === null && !hasNewFee
      ? [
          {
            key: `details.${index}.component_type`,
            message: 'is no fee of this institute; choose one, or add it as a new fee',
          },
        ]
      : [],
  )
  if (problems.length > 0) throw badFields(problems)
  const lines = picked.map(({ fee, ...line }) => ({ ...line, componentType: fee ?? line.componentType }))
  return createOrder(
    ctx,
    command,
    institute,
    { ...asked, lines, ...(await childOf(ctx, institute, asked)) },
    refuseOnTheWay,
  )
}

/** Who a picked student is stands on the order, so that lists, receipts and the payer's page name it. */
async function childOf(
  ctx: Context,
  institute: Institute,
  { studentId, ...asked }: AskedOrder,
): Promise<Partial<AskedOrder>> {
  if (studentId === null || studentId === undefined) return {}
  const { student } = await getStudent(ctx, institute, studentId)
  return {
    studentName: asked.studentName ?? student.fullname,
    identifier: asked.identifier ?? student.identifier,
    grade: asked.grade ?? student.grade,
    academicYearStart: student.academicYearStart,
    academicYearEnd: student.academicYearEnd,
    collectorCode: asked.collectorCode ?? student.collectorCode,
  }
}
