import { VARIABLE, type Template } from '../../messages/messages.rules.ts'
import { fill, LANGUAGES, type Language } from '../../platform/languages.ts'

/** The message with the address of the parents' pages, which is the same for every family of a school. */
type Texts = { subject: string; mail: readonly string[]; sms: string }
type Values = Record<'where' | 'who' | 'url', string>

const TEXTS: Record<Language, Texts> = {
  en: {
    subject: 'The fees of {who}: where to see and pay them',
    mail: [
      'On this page you see the fees of {who} at {where}, pay them and find your receipts:',
      '{url}',
      'You sign in with this e-mail address or your phone number and a code that is sent to it. You need no password.',
    ],
    sms: '{where}: see and pay the fees of {who} here: {url} You sign in with this phone number and a code.',
  },
  hi: {
    subject: '{who} की फ़ीस: कहाँ देखें और भरें',
    mail: [
      'इस पेज पर आप {where} में {who} की फ़ीस देख सकते हैं, भर सकते हैं और रसीदें पा सकते हैं:',
      '{url}',
      'इस ईमेल पते या अपने फ़ोन नंबर पर भेजे गए कोड से साइन इन करें। पासवर्ड की ज़रूरत नहीं है।',
    ],
    sms: '{where}: {who} की फ़ीस यहाँ देखें और भरें: {url} इसी फ़ोन नंबर पर आए कोड से साइन इन करें।',
  },
  kn: {
    subject: '{who} ಅವರ ಶುಲ್ಕ: ಎಲ್ಲಿ ನೋಡಿ ಪಾವತಿಸಬೇಕು',
    mail: [
      'ಈ ಪುಟದಲ್ಲಿ {where} ನಲ್ಲಿ {who} ಅವರ ಶುಲ್ಕವನ್ನು ನೋಡಬಹುದು, ಪಾವತಿಸಬಹುದು ಮತ್ತು ರಸೀದಿಗಳನ್ನು ಪಡೆಯಬಹುದು:',
      '{url}',
      'ಈ ಇಮೇಲ್ ವಿಳಾಸ ಅಥವಾ ನಿಮ್ಮ ಫೋನ್ ಸಂಖ್ಯೆಗೆ ಬರುವ ಕೋಡ್ ಬಳಸಿ ಸೈನ್ ಇನ್ ಮಾಡಿ. ಪಾಸ್‌ವರ್ಡ್ ಬೇಕಾಗಿಲ್ಲ.',
    ],
    sms: '{where}: {who} ಅವರ ಶುಲ್ಕವನ್ನು ಇಲ್ಲಿ ನೋಡಿ ಮತ್ತು ಪಾವತಿಸಿ: {url} ಈ ಫೋನ್ ಸಂಖ್ಯೆಗೆ ಬರುವ ಕೋಡ್ ಬಳಸಿ ಸೈನ್ ಇನ್ ಮಾಡಿ.',
  },
  ta: {
    subject: '{who} அவர்களின் கட்டணம்: எங்கே பார்த்துச் செலுத்துவது',
    mail: [
      'இந்தப் பக்கத்தில் {where} பள்ளியில் {who} அவர்களின் கட்டணத்தைப் பார்க்கலாம், செலுத்தலாம், ரசீதுகளைப் பெறலாம்:',
      '{url}',
      'இந்த மின்னஞ்சல் முகவரி அல்லது உங்கள் தொலைபேசி எண்ணுக்கு வரும் குறியீட்டைக் கொண்டு உள்நுழையவும். கடவுச்சொல் தேவையில்லை.',
    ],
    sms: '{where}: {who} அவர்களின் கட்டணத்தை இங்கே பார்த்துச் செலுத்தவும்: {url} இந்தத் தொலைபேசி எண்ணுக்கு வரும் குறியீட்டைக் கொண்டு உள்நுழையவும்.',
  },
}

export function familyPageTexts(
  values: Values,
  language: Language,
): { subject: string; body: string; short: string } {
  const { subject, mail, sms } = TEXTS[language]
  return {
    subject: fill(subject, values),
    body: mail.map(paragraph => fill(paragraph, values)).join('\n\n'),
    short: fill(sms, values),
  }
}

export const templateName = (language: Language): string => `family_page_${language}`

/** The short texts, as they are registered. */
export function familyPageTemplates(): Template[] {
  const values = { where: VARIABLE, who: VARIABLE, url: VARIABLE }
  return LANGUAGES.map(language => ({
    name: templateName(language),
    text: familyPageTexts(values, language).short,
  }))
}
