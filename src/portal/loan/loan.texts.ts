import type { LoanState, TrancheState } from '../../loans/loans.rules.ts'
import type { Language } from '../checkout/checkout.texts.ts'

/** Texts of the loan pages in English and Hindi; `{x}` is a placeholder. */
const en = {
  title: 'Fee loan, {where}',
  titleWithStatus: '{status}: Fee loan, {where}',
  heading: 'Fee loan for {who}',
  offer: 'Not started',
  offerSay:
    'A lender can pay these fees to {where} now, and you pay the lender back every month. Read what it is and what it costs before you decide. Nothing is started yet.',
  meaning: 'could be borrowed',
  asked: 'asked for',
  approved: 'approved',
  borrowed: 'borrowed',
  nothing: 'Nothing to borrow',
  nothingSay: 'Nothing is due, so there is nothing to borrow.',
  littleSay: 'Less is due than {lender} lends: it lends {least} or more. You can pay the fees online.',
  leftSay: '{who} has left the school, so no loan can be started.',
  states: {
    started: 'Not finished yet',
    filled: 'Waiting for the lender',
    final_approved: 'Approved',
    agreement_signed: 'Loan taken',
    disbursed: 'Paid to the school',
    rejected: 'Not approved',
    canceled: 'Withdrawn',
    expired: 'Lapsed',
  } satisfies Record<LoanState, string>,
  newSay:
    'An application over {amount} is prepared. {lender} hears nothing of you before you go on. No money has moved and nothing is owed.',
  says: {
    started:
      'Your form at {lender} is not sent yet. It is kept until {day}. No money has moved and nothing is owed.',
    filled:
      '{lender} has your form and decides about it, often within a day. You will hear from it, and this page says so too. No money has moved and nothing is owed.',
    final_approved:
      '{lender} lends you {amount}. Read its offer: the interest, every charge and every date are in it. Until you sign it nothing is owed. It is kept until {day}.',
    agreement_signed:
      'You have signed the agreement. {lender} now pays {amount} to {where}, as shown below. Each part counts for the fees when it has come.',
    disbursed:
      'All of it has reached {where} and counts for the fees. You pay {lender} back every month; it answers questions about that.',
    rejected:
      '{lender} did not approve the loan. No money has moved and nothing is owed. The fees stay due: you can pay them online or ask {where}.',
    canceled:
      'This application was withdrawn. No money has moved and nothing is owed to {lender}. The fees stay due.',
    expired:
      'Nobody went on with this application in time, so it has lapsed. No money has moved and nothing is owed. The fees stay due.',
  } satisfies Record<LoanState, string>,
  endingSay:
    'We have asked {lender} to end this application and wait for its answer. Nothing more is needed.',
  theySay: '{lender} says:',
  tryLaterSay:
    '{lender} does not answer at the moment. Nothing is lost: your application is kept. No money has moved. Please try again in some minutes.',
  check: 'Check now',
  timelineHead: 'How far it is',
  step: 'Step',
  when: 'When',
  steps: {
    started: 'Application started',
    filled: 'Form sent to the lender',
    final_approved: 'Approved by the lender',
    agreement_signed: 'Agreement signed',
    disbursed: 'Money paid to {where}',
  },
  toCome: 'to come',
  next: 'next',
  moneyHead: 'What the lender pays to {where}',
  tranches: {
    planned: 'planned',
    paid_out: 'sent by the lender',
    received: 'on its way to the school',
    disbursed: 'at the school',
    failed: 'did not arrive; the lender sends it again',
  } satisfies Record<TrancheState, string>,
  emisHead: 'What you have paid back',
  what: 'What a loan is',
  terms: [
    '{lender} pays the fees to {where}. You pay {lender} back every month (EMI), with interest. It is between you and the lender.',
    'The lender decides whether it lends and how much. It may look at your credit record.',
    'Being late with an EMI costs extra, and others may lend to you less easily afterwards.',
    'Applying costs nothing. You can stop at any time before you sign, and nothing is taken from your account before that.',
    'Without a loan there is no interest: pay online at once, in parts, or in instalments where {where} offers them.',
  ],
  costHead: 'What {amount} usually costs',
  cost: {
    rate: 'Interest a year',
    months: 'Paid back in',
    monthsValue: '{count} months',
    emi: 'Each month',
    interest: 'Interest in all',
    other: 'Other charges',
    none: 'none',
    total: 'You pay back in all',
  },
  costSay:
    'An example by the usual terms of {lender}. Before you sign, the lender shows you its own offer with every charge, and that one counts.',
  amountLabel: 'How much do you want to borrow, in rupees?',
  amountHint: 'From {least} to {most}.',
  consent:
    'I agree that {where} gives {lender} my name, phone number and e-mail, the name of {who} and the amount.',
  problems: {
    amount: 'Please write the amount in rupees, such as 15000. Nothing was started.',
    tooMuch: 'That is more than {most}. Nothing was started.',
    tooLittle: '{lender} lends {least} or more. Nothing was started.',
    consent: 'Please tick this box if you agree. Nothing was given to the lender.',
    changed: 'Something changed meanwhile. Please look at the page again.',
  },
  goOn: 'Go on to {lender}',
  goOnThere: 'Go on at {lender}',
  seeOffer: 'See the offer of {lender}',
  offerHereSay:
    '{lender} lends you {amount}. Read the offer below: the interest, every charge and every EMI are in it. Until you accept it nothing is owed. It is kept until {day}.',
  acceptedSay:
    'You accepted the offer. {lender} now prepares the agreement and gets in touch with you about signing it. Nothing is owed before that.',
  linkSay: 'To go on with this loan, open the link that you got from the school, or sign in on its pages.',
  offerCostHead: 'What this loan of {amount} costs',
  offerCostSay: 'This is the offer of {lender} to you, not an example.',
  offerTerms: 'Key facts statement of the lender',
  acceptOffer: 'Accept the offer',
  acceptConsent: 'I have read the offer and accept the loan of {amount} from {lender} on these terms.',
  again: 'Apply again',
  withdraw: 'Withdraw the application',
  withdrawAsk: 'Withdraw this application?',
  withdrawSay:
    '{lender} is told that you no longer want the loan. Nothing is owed. The fees stay due, and you can apply again later.',
  withdrawYes: 'Yes, withdraw it',
}

export type LoanTexts = typeof en

const hi: LoanTexts = {
  title: 'फ़ीस के लिए लोन, {where}',
  titleWithStatus: '{status}: फ़ीस के लिए लोन, {where}',
  heading: '{who} की फ़ीस के लिए लोन',
  offer: 'शुरू नहीं हुआ',
  offerSay:
    'लोन देने वाली कंपनी यह फ़ीस अभी {where} को दे सकती है, और आप उसे हर महीने लौटाते हैं। तय करने से पहले पढ़ लें कि यह क्या है और कितने का पड़ेगा। अभी कुछ शुरू नहीं हुआ है।',
  meaning: 'तक का लोन मिल सकता है',
  asked: 'की माँग की गई',
  approved: 'मंज़ूर हुए',
  borrowed: 'का लोन',
  nothing: 'लोन की ज़रूरत नहीं',
  nothingSay: 'कोई फ़ीस बाकी नहीं है, इसलिए लोन लेने की ज़रूरत नहीं है।',
  littleSay: 'बाकी फ़ीस बहुत कम है: {lender} कम से कम {least} का लोन देता है। आप फ़ीस ऑनलाइन दे सकते हैं।',
  leftSay: '{who} ने स्कूल छोड़ दिया है, इसलिए लोन शुरू नहीं हो सकता।',
  states: {
    started: 'अभी पूरा नहीं हुआ',
    filled: 'लोन कंपनी के जवाब का इंतज़ार है',
    final_approved: 'मंज़ूर हुआ',
    agreement_signed: 'लोन ले लिया गया',
    disbursed: 'स्कूल को मिल गया',
    rejected: 'मंज़ूर नहीं हुआ',
    canceled: 'वापस लिया गया',
    expired: 'समय-सीमा समाप्त',
  },
  newSay:
    '{amount} का आवेदन तैयार है। आपके आगे बढ़ने से पहले {lender} को आपके बारे में कुछ नहीं बताया जाता। कोई पैसा नहीं कटा है और कुछ चुकाना नहीं है।',
  says: {
    started:
      '{lender} के पेज पर आपका फ़ॉर्म अभी भेजा नहीं गया है। वह {day} तक रखा रहेगा। कोई पैसा नहीं कटा है और कुछ चुकाना नहीं है।',
    filled:
      'आपका फ़ॉर्म {lender} के पास है। फ़ैसला अक्सर एक दिन में हो जाता है; वे आपको बताएँगे और यह पेज भी बताएगा। कोई पैसा नहीं कटा है और कुछ चुकाना नहीं है।',
    final_approved:
      '{lender} आपको {amount} का लोन देने को तैयार है। उनका प्रस्ताव पढ़ें: ब्याज, हर शुल्क और हर तारीख उसमें लिखी है। हस्ताक्षर करने से पहले कुछ चुकाना नहीं है। प्रस्ताव {day} तक रखा रहेगा।',
    agreement_signed:
      'आपने समझौते पर हस्ताक्षर कर दिए हैं। अब {lender} नीचे लिखे अनुसार {where} को {amount} देगा। पैसा आते ही फ़ीस में गिना जाएगा।',
    disbursed:
      'पूरी राशि {where} को मिल गई है और फ़ीस में गिन ली गई है। आप {lender} को हर महीने लौटाते हैं; उसके बारे में वही जवाब देंगे।',
    rejected:
      '{lender} ने लोन मंज़ूर नहीं किया। कोई पैसा नहीं कटा है और कुछ चुकाना नहीं है। फ़ीस बाकी है: आप उसे ऑनलाइन दे सकते हैं या {where} से पूछ सकते हैं।',
    canceled: 'यह आवेदन वापस ले लिया गया है। कोई पैसा नहीं कटा है और {lender} को कुछ चुकाना नहीं है। फ़ीस बाकी है।',
    expired:
      'यह आवेदन समय पर पूरा नहीं हुआ, इसलिए समाप्त हो गया। कोई पैसा नहीं कटा है और कुछ चुकाना नहीं है। फ़ीस बाकी है।',
  },
  endingSay: 'हमने {lender} से यह आवेदन बंद करने को कहा है और जवाब का इंतज़ार कर रहे हैं। आपको और कुछ नहीं करना है।',
  theySay: '{lender} का संदेश:',
  tryLaterSay:
    '{lender} अभी जवाब नहीं दे रहा है। कुछ खोया नहीं है: आपका आवेदन सुरक्षित है। कोई पैसा नहीं कटा है। कुछ मिनट बाद फिर कोशिश करें।',
  check: 'अभी देखें',
  timelineHead: 'काम कहाँ तक पहुँचा',
  step: 'चरण',
  when: 'कब',
  steps: {
    started: 'आवेदन शुरू हुआ',
    filled: 'फ़ॉर्म लोन कंपनी को भेजा गया',
    final_approved: 'लोन कंपनी ने मंज़ूर किया',
    agreement_signed: 'समझौते पर हस्ताक्षर हुए',
    disbursed: '{where} को पैसा मिला',
  },
  toCome: 'बाकी है',
  next: 'अब यह',
  moneyHead: 'लोन कंपनी {where} को क्या देती है',
  tranches: {
    planned: 'तय है',
    paid_out: 'लोन कंपनी ने भेज दिया',
    received: 'स्कूल तक पहुँच रहा है',
    disbursed: 'स्कूल को मिल गया',
    failed: 'नहीं पहुँचा; लोन कंपनी फिर भेजेगी',
  },
  emisHead: 'आपने अब तक लौटाया',
  what: 'लोन क्या होता है',
  terms: [
    '{lender} फ़ीस {where} को देता है। आप {lender} को हर महीने (EMI) ब्याज के साथ लौटाते हैं। यह लेन-देन आपके और लोन कंपनी के बीच है।',
    'लोन देना है या नहीं और कितना, यह लोन कंपनी तय करती है। वह आपका क्रेडिट रिकॉर्ड देख सकती है।',
    'EMI में देरी हुई तो अतिरिक्त पैसा लगता है, और आगे लोन मिलना कठिन हो सकता है।',
    'आवेदन करने का कोई पैसा नहीं लगता। हस्ताक्षर करने से पहले आप कभी भी रुक सकते हैं; उससे पहले खाते से कुछ नहीं कटता।',
    'बिना लोन के कोई ब्याज नहीं लगता: पूरी फ़ीस या उसका हिस्सा ऑनलाइन दें, या {where} में सुविधा हो तो किस्तों में दें।',
  ],
  costHead: '{amount} का लोन आम तौर पर कितने का पड़ता है',
  cost: {
    rate: 'सालाना ब्याज',
    months: 'लौटाने का समय',
    monthsValue: '{count} महीने',
    emi: 'हर महीने',
    interest: 'कुल ब्याज',
    other: 'अन्य शुल्क',
    none: 'कोई नहीं',
    total: 'कुल लौटाना होगा',
  },
  costSay:
    'यह {lender} की आम शर्तों का उदाहरण है। हस्ताक्षर से पहले लोन कंपनी अपना प्रस्ताव हर शुल्क के साथ दिखाती है; वही मान्य है।',
  amountLabel: 'आप कितने रुपये का लोन चाहते हैं?',
  amountHint: '{least} से {most} तक।',
  consent: 'मैं सहमति देता/देती हूँ कि {where} मेरा नाम, फ़ोन नंबर और ई-मेल, {who} का नाम और राशि {lender} को दे।',
  problems: {
    amount: 'कृपया राशि रुपयों में लिखें, जैसे 15000। कुछ शुरू नहीं हुआ है।',
    tooMuch: 'यह {most} से ज़्यादा है। कुछ शुरू नहीं हुआ है।',
    tooLittle: '{lender} कम से कम {least} का लोन देता है। कुछ शुरू नहीं हुआ है।',
    consent: 'सहमत हों, तो कृपया इस बॉक्स पर सही का निशान लगाएँ। लोन कंपनी को कुछ नहीं दिया गया है।',
    changed: 'इस बीच कुछ बदल गया है। कृपया पेज फिर से देखें।',
  },
  goOn: '{lender} के पेज पर जाएँ',
  goOnThere: '{lender} के पेज पर आगे बढ़ें',
  seeOffer: '{lender} का प्रस्ताव देखें',
  offerHereSay:
    '{lender} आपको {amount} का लोन देने को तैयार है। नीचे प्रस्ताव पढ़ें: ब्याज, हर शुल्क और हर EMI उसमें लिखी है। स्वीकार करने से पहले कुछ चुकाना नहीं है। प्रस्ताव {day} तक रखा रहेगा।',
  acceptedSay:
    'आपने प्रस्ताव स्वीकार कर लिया है। {lender} अब समझौता तैयार करेगा और हस्ताक्षर के लिए आपसे संपर्क करेगा। उससे पहले कुछ चुकाना नहीं है।',
  linkSay: 'इस लोन को आगे बढ़ाने के लिए स्कूल से मिला लिंक खोलें, या स्कूल के पेज पर साइन इन करें।',
  offerCostHead: '{amount} के इस लोन की लागत',
  offerCostSay: 'यह उदाहरण नहीं, {lender} का आपके लिए प्रस्ताव है।',
  offerTerms: 'लोन कंपनी का मुख्य तथ्य विवरण',
  acceptOffer: 'प्रस्ताव स्वीकार करें',
  acceptConsent: 'मैंने प्रस्ताव पढ़ लिया है और {lender} से इन शर्तों पर {amount} का लोन स्वीकार करता/करती हूँ।',
  again: 'फिर से आवेदन करें',
  withdraw: 'आवेदन वापस लें',
  withdrawAsk: 'क्या आप यह आवेदन वापस लेना चाहते हैं?',
  withdrawSay:
    '{lender} को बता दिया जाएगा कि आपको लोन नहीं चाहिए। कुछ चुकाना नहीं होगा। फ़ीस बाकी रहेगी, और आप बाद में फिर आवेदन कर सकते हैं।',
  withdrawYes: 'हाँ, वापस लें',
}

export const LOAN_TEXTS: Record<Language, LoanTexts> = { en, hi }
