import type { School } from '../institutes/school/school.rules.ts'
import type { Language } from '../platform/languages.ts'

/** Who a mail is to and in which language: it gets a greeting, a way to ask and the school's address. */
export type Addressee = { name: string; language: Language }

const LETTERS = {
  en: {
    greeting: (name: string) => `Dear ${name},`,
    ask: (ways: string) => `If something is not right, ${ways}.`,
    ways: {
      phone: (phone: string) => `call ${phone}`,
      email: (email: string) => `reply to this mail or write to ${email}`,
      none: (school: string) => `please ask ${school}`,
    },
    or: ', or ',
  },
  hi: {
    greeting: (name: string) => `नमस्ते ${name} जी,`,
    ask: (ways: string) => `कुछ ठीक न लगे तो ${ways}।`,
    ways: {
      phone: (phone: string) => `${phone} पर फ़ोन करें`,
      email: (email: string) => `इस मेल का उत्तर दें या ${email} पर लिखें`,
      none: (school: string) => `कृपया ${school} से पूछें`,
    },
    or: ' या ',
  },
  kn: {
    greeting: (name: string) => `ನಮಸ್ಕಾರ ${name} ಅವರೇ,`,
    ask: (ways: string) => `ಏನಾದರೂ ಸರಿಯಿಲ್ಲದಿದ್ದರೆ ${ways}.`,
    ways: {
      phone: (phone: string) => `${phone} ಗೆ ಕರೆ ಮಾಡಿ`,
      email: (email: string) => `ಈ ಮೇಲ್‌ಗೆ ಉತ್ತರಿಸಿ ಅಥವಾ ${email} ಗೆ ಬರೆಯಿರಿ`,
      none: (school: string) => `ದಯವಿಟ್ಟು ${school} ಕಚೇರಿಯನ್ನು ಕೇಳಿ`,
    },
    or: ' ಅಥವಾ ',
  },
  ta: {
    greeting: (name: string) => `வணக்கம் ${name},`,
    ask: (ways: string) => `ஏதேனும் சரியில்லை என்றால் ${ways}.`,
    ways: {
      phone: (phone: string) => `${phone} என்ற எண்ணை அழைக்கவும்`,
      email: (email: string) => `இந்த மின்னஞ்சலுக்குப் பதிலளிக்கவும் அல்லது ${email} க்கு எழுதவும்`,
      none: (school: string) => `தயவுசெய்து ${school} அலுவலகத்தைக் கேட்கவும்`,
    },
    or: ' அல்லது ',
  },
} satisfies Record<Language, unknown>

/** The body between greeting and signature. */
export function writeLetter(body: string, { name, language }: Addressee, school: School): string {
  const { greeting, ask, ways, or } = LETTERS[language]
  const { phone, email, address } = school
  const known = [
    ...(phone === null ? [] : [ways.phone(phone)]),
    ...(email === null ? [] : [ways.email(email)]),
  ]
  const signature = [school.name, ...(address === null ? [] : [address])].join('\n')
  const way = known.length === 0 ? ways.none(school.name) : known.join(or)
  return [greeting(name), body, ask(way), signature].join('\n\n')
}
