import type { Language } from './checkout/checkout.texts.ts'

/** Of the page that somebody gets who comes without a link of their own. */
type FrontTexts = {
  title: string
  head: string
  lead: string
  staff: string
  developers: string
  mailbox: string
  lostHead: string
  lostLead: string
}

export const FRONT_TEXTS: Readonly<Record<Language, FrontTexts>> = {
  en: {
    title: 'School fees online',
    head: 'School fees online',
    lead: 'To pay, open the link that your school has sent you. If you cannot find it, ask the school to send it again.',
    staff: 'Sign in as staff',
    developers: 'Documentation for developers',
    mailbox: 'Mailbox of this sandbox',
    lostHead: 'There is no such page',
    lostLead:
      'Check the address. To pay, open the whole link that your school has sent you. No money has been taken.',
  },
  hi: {
    title: 'स्कूल की फ़ीस ऑनलाइन',
    head: 'स्कूल की फ़ीस ऑनलाइन',
    lead: 'फ़ीस भरने के लिए स्कूल का भेजा हुआ लिंक खोलें। लिंक न मिले तो स्कूल से दोबारा भेजने को कहें।',
    staff: 'स्टाफ़ साइन इन',
    developers: 'डेवलपर के लिए दस्तावेज़',
    mailbox: 'इस सैंडबॉक्स का मेलबॉक्स',
    lostHead: 'यह पेज नहीं है',
    lostLead: 'पता देख लें। फ़ीस भरने के लिए स्कूल का भेजा हुआ पूरा लिंक खोलें। आपका कोई पैसा नहीं कटा है।',
  },
}
