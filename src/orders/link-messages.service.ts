import type { Institute } from '../institutes/institutes.rules.ts'
import { languagesOf, queueMessages } from '../messages/messages.service.ts'
import { internationalNumber } from '../messages/messages.rules.ts'
import type { Transaction } from '../platform/db/database.ts'
import type { Language } from '../platform/languages.ts'
import { linkMessages, type Payable, type SendChannel } from './link-messages.texts.ts'

type LinkSender = { institute: Pick<Institute, 'id' | 'code' | 'name'>; publicUrl: string; at: Date }
/** No language: each family is written to in its own. */
type LinkSending = { channels: readonly SendChannel[]; language: Language | null }

export function waysTo(
  { phone, email }: Pick<Payable, 'phone' | 'email'>,
  channels: readonly SendChannel[],
): SendChannel[] {
  return channels.filter(channel => (channel === 'sms' ? internationalNumber(phone) !== null : email !== ''))
}

/** Tells the payer of each of its link. Who cannot be reached by one channel is told by the other alone. */
export async function sendLinks(
  tx: Transaction,
  { institute, publicUrl, at }: LinkSender,
  orders: readonly Payable[],
  { channels, language: wanted }: LinkSending,
): Promise<void> {
  const families = orders.map(({ phone }) => ({ instituteId: institute.id, phone }))
  const languages = wanted === null ? await languagesOf(tx, families) : []
  const to = { instituteId: institute.id, institute: institute.name, at }
  const messages = orders.flatMap((order, index) => {
    const language = wanted ?? languages[index] ?? 'en'
    const url = `${publicUrl}/pay/${institute.code}/${order.id}`
    return linkMessages(order, { ...to, language, url }, waysTo(order, channels))
  })
  // A click for hundreds is not meant for the middle of the night: only a link sent by itself leaves at once.
  await queueMessages(
    tx,
    messages.map(one => ({ ...one, inWakingHours: one.channel === 'sms' })),
  )
}
