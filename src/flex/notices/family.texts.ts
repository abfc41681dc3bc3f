import { VARIABLE, type NewMessage, type Template } from '../../messages/messages.rules.ts'
import { formatDayIn } from '../../platform/languages.ts'
import { formatRupees, type Paise } from '../../platform/money.ts'
import type { StudentContext } from '../../students/student-contexts.service.ts'
import type { Mandate, LoadedPlan } from '../rules/plan.rules.ts'
import { reasonIn } from './reasons.texts.ts'

/** What a family is told, in its language: written in each, not translated word for word. */
export const LANGUAGES = ['en', 'hi'] as const
export type Language = (typeof LANGUAGES)[number]
const VARIABLES = ['student', 'institute', 'amount', 'online', 'link', 'day', 'reference', 'reason'] as const
type Variables = Record<(typeof VARIABLES)[number], string>
export type Text = { subject: string; body: string; short: string }

export const formatDay = formatDayIn

const KINDS = [
  'notice',
  'notice_and_online',
  'withdrawn',
  'called_off',
  'debited',
  'bounced',
  'reversed',
  'reminder',
  'reminder_and_online',
  'owed_again',
  'outside',
  'set_up',
  'new_mandate',
] as const
export type MessageKind = (typeof KINDS)[number]

const TEXTS: Record<Language, Record<MessageKind, (variables: Variables) => Text>> = {
  en: {
    notice: f => ({
      subject: `${f.amount} will be debited on ${f.day}`,
      body: `${f.institute} will debit ${f.amount} on ${f.day} for the fees of ${f.student}.\n\nMandate: ${f.reference}\n\nPlease keep the amount in your account. To stop this debit, cancel the mandate at your bank or UPI app, or write to the school before that day.`,
      short: `${f.institute}: ${f.amount} will be debited on ${f.day} for ${f.student} under mandate ${f.reference}. To stop it, cancel the mandate at your bank.`,
    }),
    notice_and_online: f => ({
      subject: `${f.amount} will be debited on ${f.day}, and ${f.online} is to be paid online`,
      body: `${f.institute} will debit ${f.amount} on ${f.day} for the fees of ${f.student}.\n\nMandate: ${f.reference}\n\nYour mandate does not allow more in one debit. Please pay the other ${f.online} online: ${f.link}\n\nPlease keep ${f.amount} in your account. To stop this debit, cancel the mandate at your bank or UPI app, or write to the school before that day.`,
      short: `${f.institute}: ${f.amount} will be debited on ${f.day} for ${f.student} under mandate ${f.reference}. Please pay the other ${f.online} online: ${f.link}`,
    }),
    withdrawn: f => ({
      subject: `The debit announced for ${f.day} will not take place`,
      body: `${f.institute} will not debit your account on ${f.day} for ${f.student} as announced: ${f.reason}. You will get a new notice before the next debit.`,
      short: `${f.institute}: the debit announced for ${f.day} will not take place. A new notice follows.`,
    }),
    called_off: f => ({
      subject: `The debit announced for ${f.day} will not take place`,
      body: `${f.institute} will not debit your account on ${f.day} for ${f.student} as announced: ${f.reason}. Nothing more is debited under this plan.`,
      short: `${f.institute}: the debit announced for ${f.day} will not take place, and no other follows.`,
    }),
    debited: f => ({
      subject: `${f.amount} received`,
      body: `${f.institute} has received ${f.amount} for the fees of ${f.student}. Thank you.\n\nMandate: ${f.reference}`,
      short: `${f.institute}: ${f.amount} received for ${f.student}. Thank you.`,
    }),
    bounced: f => ({
      subject: `${f.amount} could not be debited`,
      body: `Your bank did not pay ${f.amount} to ${f.institute} for the fees of ${f.student}.\n\nReason: ${f.reason}\n\n${nextEn(f)}`,
      short: `${f.institute}: ${f.amount} for ${f.student} could not be debited. ${f.reason} ${nextEn(f)}`,
    }),
    reversed: f => ({
      subject: `${f.amount} was taken back by your bank`,
      body: `Your bank has taken back ${f.amount} that it had paid to ${f.institute} for the fees of ${f.student}.\n\nReason: ${f.reason}\n\nThe amount is due again. Please pay it online: ${f.link}`,
      short: `${f.institute}: your bank took back ${f.amount} paid for ${f.student}. It is due again. Please pay it online: ${f.link}`,
    }),
    reminder: f => ({
      subject: `${f.amount} is due on ${f.day}`,
      body: `A reminder from ${f.institute}: ${f.amount} for the fees of ${f.student} is due on ${f.day} and will be debited by your mandate ${f.reference}. There is nothing to do but to keep the amount in your account.`,
      short: `${f.institute}: ${f.amount} for ${f.student} is due on ${f.day} and will be debited by your mandate.`,
    }),
    reminder_and_online: f => ({
      subject: `${f.amount} is due on ${f.day}, and ${f.online} is to be paid online`,
      body: `A reminder from ${f.institute}: the fees of ${f.student} are due on ${f.day}. ${f.amount} will be debited by your mandate ${f.reference}; please keep it in your account. Your mandate does not allow more in one debit: please pay the other ${f.online} online: ${f.link}`,
      short: `${f.institute}: ${f.amount} for ${f.student} will be debited on ${f.day}. Please pay the other ${f.online} online: ${f.link}`,
    }),
    owed_again: f => ({
      subject: `${f.amount} is due again`,
      body: `${f.amount} for the fees of ${f.student} at ${f.institute} is due again, because a payment or a reduction of the fee no longer counts.\n\n${againEn(f)}`,
      short: `${f.institute}: ${f.amount} for ${f.student} is due again. ${againEn(f)}`,
    }),
    outside: f => ({
      subject: `${f.amount} is due beside your instalments`,
      body: `Your instalments for ${f.student} at ${f.institute} are paid. ${f.amount} of the fees was not part of them and is still due. Please pay it online: ${f.link}`,
      short: `${f.institute}: the instalments for ${f.student} are paid; ${f.amount} beside them is still due. Pay online: ${f.link}`,
    }),
    set_up: f => ({
      subject: `Your instalments for ${f.student} are set up`,
      body: `${f.institute} will debit the fees of ${f.student} in instalments under your mandate ${f.reference}. Each debit is announced at least a day before. You can cancel the mandate at your bank at any time.${f.online === '' ? '' : `\n\n${f.online} of the fees is not part of the instalments and is due beside them. Please pay it online: ${f.link}`}`,
      short: `${f.institute}: instalments for ${f.student} are set up, mandate ${f.reference}.`,
    }),
    new_mandate: f => ({
      subject: `Your mandate for ${f.student} has ended`,
      body: `Your bank says that the mandate ${f.reference} to ${f.institute} has ended: ${f.reason} Nothing more is debited. Please set up a new one, or see there how to pay the fees online: ${f.link}`,
      short: `${f.institute}: the mandate for ${f.student} has ended. Please set up a new one.`,
    }),
  },
  hi: {
    notice: f => ({
      subject: `${f.day} को ${f.amount} कटेंगे`,
      body: `${f.institute} आपके खाते से ${f.student} की फ़ीस के ${f.amount} ${f.day} को काटेगा।\n\nमैंडेट: ${f.reference}\n\nकृपया खाते में राशि रखें। इसे रोकने के लिए अपने बैंक या UPI ऐप में मैंडेट रद्द करें, या उस दिन से पहले स्कूल को लिखें।`,
      short: `${f.institute}: ${f.student} की फ़ीस के ${f.amount} ${f.day} को मैंडेट ${f.reference} से कटेंगे। रोकने के लिए बैंक में मैंडेट रद्द करें।`,
    }),
    notice_and_online: f => ({
      subject: `${f.day} को ${f.amount} कटेंगे, और ${f.online} ऑनलाइन भरने हैं`,
      body: `${f.institute} आपके खाते से ${f.student} की फ़ीस के ${f.amount} ${f.day} को काटेगा।\n\nमैंडेट: ${f.reference}\n\nआपका मैंडेट एक बार में इससे ज़्यादा की अनुमति नहीं देता। बाकी ${f.online} कृपया ऑनलाइन भरें: ${f.link}\n\nखाते में ${f.amount} रखें। इसे रोकने के लिए अपने बैंक या UPI ऐप में मैंडेट रद्द करें, या उस दिन से पहले स्कूल को लिखें।`,
      short: `${f.institute}: ${f.student} की फ़ीस के ${f.amount} ${f.day} को मैंडेट ${f.reference} से कटेंगे। बाकी ${f.online} ऑनलाइन भरें: ${f.link}`,
    }),
    withdrawn: f => ({
      subject: `${f.day} की कटौती अब नहीं होगी`,
      body: `${f.institute} ${f.student} की फ़ीस ${f.day} को नहीं काटेगा। ${f.reason} अगली कटौती से पहले नई सूचना मिलेगी।`,
      short: `${f.institute}: ${f.day} की कटौती नहीं होगी। नई सूचना मिलेगी।`,
    }),
    called_off: f => ({
      subject: `${f.day} की कटौती अब नहीं होगी`,
      body: `${f.institute} ${f.student} की फ़ीस ${f.day} को नहीं काटेगा। ${f.reason} इस योजना से अब कुछ नहीं कटेगा।`,
      short: `${f.institute}: ${f.day} की कटौती नहीं होगी। अब और कोई कटौती नहीं होगी।`,
    }),
    debited: f => ({
      subject: `${f.amount} मिल गए`,
      body: `${f.institute} को ${f.student} की फ़ीस के ${f.amount} मिल गए। धन्यवाद।\n\nमैंडेट: ${f.reference}`,
      short: `${f.institute}: ${f.student} की फ़ीस के ${f.amount} मिल गए। धन्यवाद।`,
    }),
    bounced: f => ({
      subject: `${f.amount} नहीं कट सके`,
      body: `आपके बैंक ने ${f.student} की फ़ीस के ${f.amount} ${f.institute} को नहीं दिए।\n\nकारण: ${f.reason}\n\n${nextHi(f)}`,
      short: `${f.institute}: ${f.student} की फ़ीस के ${f.amount} नहीं कट सके। ${f.reason} ${nextHi(f)}`,
    }),
    reversed: f => ({
      subject: `बैंक ने ${f.amount} वापस ले लिए`,
      body: `आपके बैंक ने ${f.student} की फ़ीस के ${f.amount} ${f.institute} से वापस ले लिए।\n\nकारण: ${f.reason}\n\nराशि फिर से बकाया है। कृपया ऑनलाइन भरें: ${f.link}`,
      short: `${f.institute}: बैंक ने ${f.student} की फ़ीस के ${f.amount} वापस ले लिए। राशि फिर बकाया है। ऑनलाइन भरें: ${f.link}`,
    }),
    reminder: f => ({
      subject: `${f.day} को ${f.amount} देय हैं`,
      body: `${f.institute} की याद: ${f.student} की फ़ीस के ${f.amount} ${f.day} को देय हैं और मैंडेट ${f.reference} से कटेंगे। बस खाते में राशि रखें।`,
      short: `${f.institute}: ${f.student} की फ़ीस के ${f.amount} ${f.day} को मैंडेट से कटेंगे।`,
    }),
    reminder_and_online: f => ({
      subject: `${f.day} को ${f.amount} देय हैं, और ${f.online} ऑनलाइन भरने हैं`,
      body: `${f.institute} की याद: ${f.student} की फ़ीस ${f.day} को देय है। ${f.amount} मैंडेट ${f.reference} से कटेंगे; खाते में यह राशि रखें। मैंडेट एक बार में इससे ज़्यादा की अनुमति नहीं देता, इसलिए बाकी ${f.online} ऑनलाइन भरें: ${f.link}`,
      short: `${f.institute}: ${f.student} की फ़ीस के ${f.amount} ${f.day} को कटेंगे। बाकी ${f.online} ऑनलाइन भरें: ${f.link}`,
    }),
    owed_again: f => ({
      subject: `${f.amount} फिर से देय हैं`,
      body: `${f.institute} में ${f.student} की फ़ीस के ${f.amount} फिर से देय हैं, क्योंकि कोई भुगतान या छूट अब मान्य नहीं है।\n\n${againHi(f)}`,
      short: `${f.institute}: ${f.student} की फ़ीस के ${f.amount} फिर से देय हैं। ${againHi(f)}`,
    }),
    outside: f => ({
      subject: `किस्तों के अलावा ${f.amount} देय हैं`,
      body: `${f.institute} में ${f.student} की किस्तें जमा हो गईं। फ़ीस के ${f.amount} किस्तों में नहीं थे और अभी बाकी हैं। कृपया ऑनलाइन भरें: ${f.link}`,
      short: `${f.institute}: ${f.student} की किस्तें जमा हो गईं; ${f.amount} अलग से बाकी हैं। ऑनलाइन भरें: ${f.link}`,
    }),
    set_up: f => ({
      subject: `${f.student} की किस्तें तय हो गईं`,
      body: `${f.institute} ${f.student} की फ़ीस मैंडेट ${f.reference} से किस्तों में काटेगा। हर कटौती की सूचना कम से कम एक दिन पहले मिलेगी। आप कभी भी बैंक में मैंडेट रद्द कर सकते हैं।${f.online === '' ? '' : `\n\nफ़ीस के ${f.online} किस्तों में नहीं हैं और अलग से देय हैं। कृपया ऑनलाइन भरें: ${f.link}`}`,
      short: `${f.institute}: ${f.student} की किस्तें तय हो गईं, मैंडेट ${f.reference}।`,
    }),
    new_mandate: f => ({
      subject: `${f.student} का मैंडेट समाप्त हो गया`,
      body: `बैंक के अनुसार ${f.institute} का मैंडेट ${f.reference} समाप्त हो गया है। अब कुछ नहीं कटेगा। कृपया यहाँ नया मैंडेट बनाएँ, या फ़ीस ऑनलाइन भरें: ${f.link}`,
      short: `${f.institute}: ${f.student} का मैंडेट समाप्त हो गया। कृपया नया बनाएँ।`,
    }),
  },
}

function againEn({ day, link }: Variables): string {
  return day === ''
    ? `Please pay it online: ${link}`
    : `It will be debited from ${day} on; each debit is announced at least a day before.`
}

function againHi({ day, link }: Variables): string {
  return day === ''
    ? `कृपया ऑनलाइन भरें: ${link}`
    : `यह ${day} से कटेगी; हर कटौती की सूचना कम से कम एक दिन पहले मिलेगी।`
}

function nextEn({ day, link }: Variables): string {
  return day === ''
    ? `Please pay it online: ${link}`
    : `It will be debited again on ${day}; please keep the amount in your account, or pay it online before: ${link}`
}

function nextHi({ day, link }: Variables): string {
  return day === ''
    ? `कृपया ऑनलाइन भरें: ${link}`
    : `यह ${day} को फिर काटा जाएगा; कृपया खाते में राशि रखें, या पहले ही ऑनलाइन भरें: ${link}`
}

/** A plan and whose it is: what every message to a family is about. */
export type FamilyPlan = Pick<LoadedPlan, 'plan' | 'mandate'> & { student: StudentContext; pageUrl: string }

export type MessageDetails = {
  amountPaise?: Paise
  /** What is to be paid online beside it. */
  onlinePaise?: Paise
  day?: string | undefined
  reason?: string
  /** Of a reminder: what it reminds of. */
  instalmentId?: string
  /** Names what is told, so that it is told once. */
  once?: string
  /** When it is to leave, if not at once. */
  leavesAt?: Date
}

/** One e-mail and one SMS to the primary contact; what waits for the morning is to be sent then. */
export function messagesToFamily(
  kind: MessageKind,
  to: FamilyPlan,
  {
    at,
    amountPaise,
    onlinePaise,
    day,
    reason = '',
    instalmentId,
    once,
    leavesAt,
  }: MessageDetails & { at: Date },
): NewMessage[] {
  const { language, instituteName } = to.plan
  const variables: Variables = {
    student: to.student.student.fullname,
    institute: instituteName,
    amount: amountPaise === undefined ? '' : formatRupees(amountPaise),
    online: onlinePaise === undefined ? '' : formatRupees(onlinePaise),
    link: to.pageUrl,
    day: day === undefined ? '' : formatDay(day, language),
    reference: referenceOf(to.mandate),
    reason: reasonIn(language, reason),
  }
  const remindsOf = instalmentId === undefined ? [] : [instalmentId]
  const template = templateName(kind, language, variables)
  return textToFamily(to, { at, template, remindsOf, once, leavesAt }, TEXTS[language][kind](variables))
}

/** One that is debited again has other words than one that is not. */
function templateName(kind: MessageKind, language: Language, { day }: Variables): string {
  if (day !== '' && kind === 'bounced') return `bounced_again_${language}`
  return day !== '' && kind === 'owed_again' ? `owed_again_debit_${language}` : `${kind}_${language}`
}

/** The short texts, as they are registered. */
export function shortTemplates(): Template[] {
  const variables = Object.fromEntries(VARIABLES.map(name => [name, VARIABLE])) as Variables
  const templates = LANGUAGES.flatMap(language =>
    KINDS.flatMap(kind =>
      [variables, { ...variables, day: '' }].map(each => ({
        name: templateName(kind, language, each),
        text: TEXTS[language][kind](each).short,
      })),
    ),
  )
  // The first of a name has all its variables.
  return [...new Map(templates.toReversed().map(one => [one.name, one])).values()].toReversed()
}

type Sending = {
  at: Date
  template: string
  remindsOf: readonly string[]
} & Pick<NewMessage, 'once' | 'leavesAt'>

/** The same words to the primary contact's e-mail address and phone. `remindsOf` is empty if it is no reminder. */
export function textToFamily(
  { plan, student: { student } }: FamilyPlan,
  { template, remindsOf, ...moments }: Sending,
  { subject, body, short }: Text,
): NewMessage[] {
  const isReminder = remindsOf.length > 0
  const common = {
    ...moments,
    instituteId: plan.instituteId,
    about: plan.id,
    isReminder,
    concerns: remindsOf,
  }
  return [
    {
      ...common,
      channel: 'email',
      recipient: student.contactEmail,
      subject,
      body,
      to: { name: student.contactName, language: plan.language },
    },
    { ...common, channel: 'sms', recipient: student.contactNumber, body: short, template },
  ]
}

export function referenceOf(mandate: Mandate | null): string {
  return mandate?.umrn ?? mandate?.upiReference ?? mandate?.id ?? ''
}
