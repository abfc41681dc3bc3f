import type { Books, Student } from './books.ts'
import type { Bursar } from './bursar.ts'
import { toRupees } from './money.ts'
import { EVENT_CODES } from './receive.ts'
import type { Secrets } from './server.ts'

/** Says where this ERP is. Safe to repeat. In production an operator sets the fetch URL, and no call does. */
export async function connect(bursar: Bursar, erpUrl: string, secrets: Secrets): Promise<void> {
  await bursar.setSandboxErp({
    url: `${erpUrl}/fetch-student`,
    username: secrets.username,
    password: secrets.password,
    lookup: ['identifier', 'academic_year_start', 'academic_year_end'],
  })
  const url = `${erpUrl}/webhooks`
  // A subscription keeps the URL that it was made with. One for another address would go on sending there.
  for (const old of await bursar.listWebhooks())
    if (old.url !== url && (EVENT_CODES as readonly string[]).includes(old.event_code))
      await bursar.disableWebhook(old.id)
  for (const event_code of EVENT_CODES)
    await bursar.addWebhook({
      event_code,
      url,
      secret_key: secrets.webhookSecret,
      failure_notification_email: 'it@school.example.in',
    })
}

/** Registers a student, or brings what Bursar has of it up to date: the same call. */
export async function push(bursar: Bursar, books: Books, student: Student): Promise<string> {
  // One user a family: two children of one mother are paid for in one sitting.
  const { registration_id } = await bursar.registerUser({
    name: student.contact_name,
    phone: student.contact_number,
    email: student.contact_email,
  })
  const { service_student_id } = await bursar.registerStudent(registration_id, {
    student: {
      fullname: student.fullname,
      identifier: student.identifier,
      grade: student.grade,
      new_admission: false,
      academic_year_start: student.year,
      academic_year_end: student.year + 1,
      date_of_birth: student.date_of_birth,
      primary_contact_name: student.contact_name,
      primary_contact_number: student.contact_number,
      primary_contact_email: student.contact_email,
    },
    fee_components: books.feesOf(student).map(({ component, paise }) => ({
      component_type: component,
      fee_amount: toRupees(paise),
    })),
  })
  books.setServiceId(student, service_student_id)
  return service_student_id
}

/** Cash at the counter: booked here, and told at once, so that the parent sees it. The receipt's number is its key at both sides. */
export async function takeCash(
  bursar: Bursar,
  books: Books,
  student: Student & { service_student_id: string },
  cash: { receipt: string; component: string; paise: number; paidAt: string },
): Promise<void> {
  books.bookPayment({
    payment_id: cash.receipt,
    identifier: student.identifier,
    year: student.year,
    paise: cash.paise,
    mode: 'cash',
    utr: null,
    instalment_id: null,
    attempt: null,
  })
  const amount = toRupees(cash.paise)
  await bursar.recordDirectPayment(student.service_student_id, {
    amount,
    paid_at: cash.paidAt,
    mode: 'cash',
    transaction_id: cash.receipt,
    fee_components: [{ component_type: cash.component, amount }],
  })
}
