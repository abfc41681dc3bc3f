import type { Bursar } from '../../sdk/node/src/index.ts'

type Branch = { collector_code: string | undefined }
type Note = (what: string, id: string) => void
type Recipe = (bursar: Bursar, branch: Branch, note: Note) => Promise<unknown>

const PAYER = { name: 'Asha Rao', phone: '+91 98765 43210', email: 'asha@example.in' }
const DETAILS = [{ component_type: 'TUITION_FEE', amount: '12345.67' }]

function orderOf(branch: Branch): Parameters<Bursar['createPayOrder']>[0] {
  return { ...PAYER, identifier: `CLI-${Date.now()}`, details: DETAILS, ...branch }
}

async function makePaidOrder(bursar: Bursar, branch: Branch, note: Note): Promise<string> {
  const { order_id } = await bursar.createPayOrder(orderOf(branch))
  note('created the pay order', order_id)
  return pay(bursar, order_id, note)
}

async function makeSettledOrder(bursar: Bursar, branch: Branch, note: Note): Promise<void> {
  await makePaidOrder(bursar, branch, note)
  await settle(bursar, note)
}

async function makeLink(bursar: Bursar, branch: Branch, note: Note): Promise<string> {
  const { order_id } = await bursar.createPaymentLink(orderOf(branch))
  note('created the payment link', order_id)
  return order_id
}

async function makePaidLink(bursar: Bursar, branch: Branch, note: Note): Promise<string> {
  return pay(bursar, await makeLink(bursar, branch, note), note)
}

async function pay(bursar: Bursar, orderId: string, note: Note): Promise<string> {
  const { payment_id } = await bursar.sandboxPay(orderId, { outcome: 'success' })
  note('paid it by', payment_id)
  return orderId
}

async function settle(bursar: Bursar, note: Note): Promise<void> {
  const { settled } = await bursar.sandboxSettle()
  note('let the bank pay out, payments and refunds:', String(settled))
}

async function makeStudent(bursar: Bursar, branch: Branch, note: Note): Promise<string> {
  const { registration_id } = await bursar.registerUser(PAYER)
  const now = new Date((await bursar.getSandboxClock()).now)
  // School years begin in April.
  const year = now.getUTCFullYear() - (now.getUTCMonth() < 3 ? 1 : 0)
  const { service_student_id } = await bursar.registerStudent(registration_id, {
    student: {
      fullname: 'Kabir Rao',
      identifier: `CLI-${Date.now()}`,
      grade: '5',
      academic_year_start: year,
      academic_year_end: year + 1,
      new_admission: true,
      date_of_birth: '2016-04-09',
      primary_contact_name: PAYER.name,
      primary_contact_number: PAYER.phone,
      primary_contact_email: PAYER.email,
      ...branch,
    },
    fee_components: [{ component_type: 'TUITION_FEE', fee_amount: '12345.67' }],
  })
  note('registered the student', service_student_id)
  return service_student_id
}

async function dropStudent(bursar: Bursar, branch: Branch, note: Note): Promise<string> {
  const id = await makeStudent(bursar, branch, note)
  await bursar.dropStudent(id)
  note('dropped', id)
  return id
}

/** What causes an event, for those that follow from a few calls. */
export const RECIPES: Readonly<Record<string, Recipe>> = {
  'pay.payment.debited': makePaidOrder,
  'pay.payment.settled': makeSettledOrder,
  'order.payment.debited': makePaidOrder,
  'order.payment.settled': makeSettledOrder,
  'payment_link.payment.debited': makePaidLink,
  'payment_link.payment.settled': async (bursar, branch, note) => {
    await makePaidLink(bursar, branch, note)
    await settle(bursar, note)
  },
  'payment_link.payment.cancelled': async (bursar, branch, note) => {
    const orderId = await makeLink(bursar, branch, note)
    await bursar.cancelPaymentLink(orderId)
    note('cancelled', orderId)
  },
  'masterdata.student.registered': makeStudent,
  'masterdata.student.dropped': dropStudent,
  'masterdata.student.activated': async (bursar, branch, note) => {
    const id = await dropStudent(bursar, branch, note)
    await bursar.activateStudent(id)
    note('activated', id)
  },
  'refund.processed': async (bursar, branch, note) => {
    const orderId = await makePaidOrder(bursar, branch, note)
    const { id } = await bursar.refundPayOrder(orderId, { amount: '100.00' })
    note('refunded ₹100.00 by', id)
  },
}
