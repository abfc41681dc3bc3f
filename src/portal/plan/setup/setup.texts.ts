import type { InstalmentState } from '../../../flex/rules/states.rules.ts'
import type { Language } from '../../checkout/checkout.texts.ts'

/** Texts of the plan's set-up page in English and Hindi; `{x}` is a placeholder. */
const en = {
  title: 'Fee instalments, {where}',
  titleWithStatus: '{status}: Fee instalments, {where}',
  heading: 'Fees for {who} in instalments',
  spread: 'in {count} instalments, from {first} to {last}',
  spreadOne: 'in one debit, on {first}',
  spreadDown: '{down} now, the rest {spread}',
  left: 'still to be debited, {spread}',
  paidSoFar: 'paid so far',
  toSetUp: 'To set up',
  toSetUpSay:
    'Nothing is set up yet and no money has been taken. Check the dates and amounts, then agree below.',
  downPaidSay:
    'We have received your {amount}. One step is left: agree to the debits of the rest. Nothing is debited before that.',
  downSay:
    'Pay {amount} now, then agree to the debits of the rest. Nothing is set up yet and no money has been taken.',
  awaySay:
    'Instalments cannot be set up online here at the moment. No money has been taken. Please ask {where}.',
  open: 'Not finished yet',
  openSay:
    'We have not heard of your approval yet. No money has moved in this step. If you have just approved, this page updates by itself. If not, finish at your bank.',
  confirming: 'Waiting for the bank',
  confirmingUpiSay:
    'You have approved. We are waiting for your bank to confirm it; this page updates by itself. No money has moved in this step. Do not set it up again.',
  confirmingEnachSay:
    'You have approved. Your bank now confirms the mandate, which takes about one working day. No money has moved in this step. There is nothing more to do: you can close this page.',
  active: 'Set up',
  activeSay:
    'The instalments are debited by themselves. You are notified of each one at least {hours} hours before.',
  next: 'Next debit: {amount} on {day}.',
  payOnline: '{amount} is not debited by your mandate. Please pay it online, or ask {where} how.',
  held: 'Paused',
  heldSay: 'The debits are paused. Nothing is debited until they go on, and there is nothing to do.',
  declined: 'Not approved',
  declinedSay:
    'The mandate was not approved at your bank, so nothing was set up. No money has moved in this step. You can try again or choose another way.',
  rejected: 'Not accepted by the bank',
  rejectedSay:
    'Your bank did not accept the mandate, so it was not set up. No money has moved in this step. Try again with another way or another account.',
  ended: 'Mandate ended',
  endedSay:
    'The mandate at your bank has ended, so nothing more is debited. What is paid stays paid. Set up a new mandate below, so that the instalments go on.',
  locked: 'On hold',
  lockedSay:
    'The records of {where} do not allow further debits at the moment. Nothing is debited meanwhile. Please ask them.',
  cancelled: 'Cancelled',
  cancelledSay:
    'These instalments were cancelled and nothing more is debited. What is paid stays paid. Ask {where} how to pay the rest.',
  cancelledDraftSay:
    'These instalments were cancelled before they were set up. Nothing is debited. Ask {where} if you think this is a mistake.',
  closed: 'All done',
  closedSay: 'Every instalment is paid or no longer due. Nothing more is debited. Thank you.',
  refused: 'Cannot be set up now',
  refusedSay: 'The system of {where} says:',
  unsuitableSay:
    'The fees have changed, so these instalments no longer fit. Please ask {where} for new ones.',
  tryLater: 'Please try later',
  tryLaterSay: 'We cannot reach the system of {where} to check the fees.',
  nothingDone: 'Nothing has been set up and no money has been taken.',
  nothingMore: 'Nothing more has been set up. Your payment of {amount} is safe and counts.',
  askThem: 'Please ask {where}, and quote the reference below.',
  tryAgain: 'Try again',
  schedule: 'Dates and amounts',
  when: 'When',
  atStart: 'Down payment, online',
  now: 'now',
  debitedOn: 'to be debited on {day}',
  debitedOnBy: 'to be debited on {upi} by UPI, on {enach} by eNACH',
  states: {
    scheduled: 'planned',
    confirmed: 'announced',
    presented: 'at the bank',
    debited: 'paid',
    settled: 'paid',
    bounced: 'could not be debited, due',
    skipped: 'waiting for the records of the school',
    reversed: 'taken back by the bank, due',
    due: 'not debited: please pay it online',
    covered: 'paid another way',
    waived: 'no longer due',
    cancelled: 'cancelled',
  } satisfies Record<InstalmentState, string>,
  terms: 'What you agree to',
  termsNext: 'What you are asked to agree to after that',
  termSchedule:
    '{where} takes the amounts above from your account on their dates. A date on a bank holiday moves to the next working day.',
  termScheduleBefore:
    '{where} takes the amounts above from your account on their dates. A date on a bank holiday moves to the working day before.',
  termCap:
    'Never more than {cap} in one debit. This leaves room above the largest instalment in case the fees change.',
  termNotice:
    'You are notified of every debit by SMS and e-mail at least {hours} hours before, with its amount.',
  stop: 'How to stop',
  stopSay:
    'Cancel the mandate at your bank or in your UPI app whenever you like, or ask {where}. Fees that are still open stay due.',
  how: 'How should the instalments be debited?',
  rails: { upi_autopay: 'UPI Autopay', enach: 'Bank mandate (eNACH)' },
  upiHint: 'You approve it once in your UPI app. Ready at once.',
  enachHint:
    'By net banking, debit card or Aadhaar, chosen at your bank. It takes about one working day to be confirmed.',
  registrationHint: 'Your app asks for {amount} to check your account; you get it back within some days.',
  capHint: 'At most {cap} in one debit.',
  upiTooSmall: 'UPI Autopay is not offered: it takes at most {limit} in one debit.',
  consent: 'I agree that {where} debits these instalments from my account as shown above.',
  noConsent: 'Please tick this box if you agree. Nothing has been set up and no money has been taken.',
  changed:
    'The dates or amounts have changed since you opened this page. Nothing has been set up. Please check them and agree again.',
  payNow: 'Pay {amount} now',
  toBank: 'Continue to your bank',
  goOn: 'Finish at your bank',
  another: 'Choose another way',
  mandate: 'Your mandate',
  way: 'Way',
  umrn: 'Mandate (UMRN)',
  upiReference: 'UPI reference',
  atMost: 'At most, each time',
  validUntil: 'Valid until',
}

export type PlanSetupTexts = typeof en

const hi: PlanSetupTexts = {
  title: 'किस्तों में फ़ीस, {where}',
  titleWithStatus: '{status}: किस्तों में फ़ीस, {where}',
  heading: '{who} की फ़ीस, किस्तों में',
  spread: '{count} किस्तों में, {first} से {last} तक',
  spreadOne: 'एक ही बार में, {first} को',
  spreadDown: '{down} अभी, बाकी {spread}',
  left: 'कटना बाकी है, {spread}',
  paidSoFar: 'अब तक जमा हुआ',
  toSetUp: 'शुरू करना बाकी है',
  toSetUpSay: 'अभी कुछ शुरू नहीं हुआ है और आपका कोई पैसा नहीं कटा है। तारीखें और राशियाँ देख लें, फिर नीचे सहमति दें।',
  downPaidSay:
    'आपके {amount} हमें मिल गए हैं। अब एक काम बाकी है: बाकी किस्तें खाते से कटने की सहमति दें। उससे पहले कुछ नहीं कटेगा।',
  downSay:
    'पहले {amount} का भुगतान करें, फिर बाकी किस्तों की सहमति दें। अभी कुछ शुरू नहीं हुआ है और आपका कोई पैसा नहीं कटा है।',
  awaySay: 'यहाँ अभी ऑनलाइन किस्तें शुरू नहीं हो सकतीं। आपका कोई पैसा नहीं कटा है। कृपया {where} से पूछें।',
  open: 'अभी पूरा नहीं हुआ',
  openSay:
    'आपकी मंज़ूरी की ख़बर हमें अभी नहीं मिली है। इस चरण में कोई पैसा नहीं कटा है। अगर आपने अभी-अभी मंज़ूरी दी है, तो यह पेज अपने आप अपडेट होगा। नहीं दी है, तो बैंक के पेज पर जाकर पूरा करें।',
  confirming: 'बैंक के जवाब का इंतज़ार है',
  confirmingUpiSay:
    'आपने मंज़ूरी दे दी है। हम बैंक की पुष्टि का इंतज़ार कर रहे हैं; यह पेज अपने आप अपडेट होता रहेगा। इस चरण में कोई पैसा नहीं कटा है। इसे दोबारा शुरू न करें।',
  confirmingEnachSay:
    'आपने मंज़ूरी दे दी है। अब बैंक मैंडेट की पुष्टि करेगा, जिसमें लगभग एक कामकाजी दिन लगता है। इस चरण में कोई पैसा नहीं कटा है। आपको कुछ और नहीं करना है: आप यह पेज बंद कर सकते हैं।',
  active: 'शुरू हो गया',
  activeSay: 'किस्तें अपने आप कटेंगी। हर किस्त की सूचना आपको कम से कम {hours} घंटे पहले मिलेगी।',
  next: 'अगली किस्त: {amount}, {day} को।',
  payOnline: '{amount} आपके मैंडेट से नहीं कटेंगे। कृपया ऑनलाइन भरें, या {where} से पूछें कि कैसे।',
  held: 'फ़िलहाल रोका गया',
  heldSay: 'किस्तें फ़िलहाल रुकी हुई हैं। दोबारा शुरू होने तक कुछ नहीं कटेगा। आपको कुछ नहीं करना है।',
  declined: 'मंज़ूरी नहीं मिली',
  declinedSay:
    'बैंक के पेज पर मैंडेट को मंज़ूरी नहीं दी गई, इसलिए कुछ शुरू नहीं हुआ। इस चरण में कोई पैसा नहीं कटा है। आप फिर से कोशिश कर सकते हैं या दूसरा तरीका चुन सकते हैं।',
  rejected: 'बैंक ने स्वीकार नहीं किया',
  rejectedSay:
    'आपके बैंक ने मैंडेट स्वीकार नहीं किया, इसलिए वह शुरू नहीं हुआ। इस चरण में कोई पैसा नहीं कटा है। दूसरे तरीके या दूसरे खाते से फिर कोशिश करें।',
  ended: 'मैंडेट समाप्त हो गया',
  endedSay:
    'आपके बैंक का मैंडेट समाप्त हो गया है, इसलिए अब कुछ नहीं कटेगा। जो जमा हो चुका है, वह जमा रहेगा। किस्तें जारी रखने के लिए नीचे नया मैंडेट बनाएँ।',
  locked: 'फ़िलहाल रुका है',
  lockedSay: '{where} के रिकॉर्ड के अनुसार अभी किस्तें नहीं काटी जा सकतीं। तब तक कुछ नहीं कटेगा। कृपया उनसे पूछें।',
  cancelled: 'रद्द किया गया',
  cancelledSay:
    'ये किस्तें रद्द कर दी गई हैं और अब कुछ नहीं कटेगा। जो जमा हो चुका है, वह जमा रहेगा। बाकी फ़ीस कैसे दें, यह {where} से पूछें।',
  cancelledDraftSay:
    'ये किस्तें शुरू होने से पहले ही रद्द कर दी गईं। कुछ नहीं कटेगा। अगर आपको यह ग़लती लगे, तो {where} से पूछें।',
  closed: 'सब पूरा हुआ',
  closedSay: 'सभी किस्तें जमा हो गई हैं या अब देनी नहीं हैं। अब कुछ नहीं कटेगा। धन्यवाद।',
  refused: 'अभी शुरू नहीं हो सकता',
  refusedSay: '{where} के सिस्टम का संदेश:',
  unsuitableSay: 'फ़ीस बदल गई है, इसलिए ये किस्तें अब मेल नहीं खातीं। कृपया {where} से नई किस्तें बनवाएँ।',
  tryLater: 'कृपया बाद में कोशिश करें',
  tryLaterSay: 'फ़ीस जाँचने के लिए हम अभी {where} के सिस्टम तक नहीं पहुँच पा रहे हैं।',
  nothingDone: 'कुछ शुरू नहीं हुआ है और आपका कोई पैसा नहीं कटा है।',
  nothingMore: 'आगे कुछ शुरू नहीं हुआ है। आपका {amount} का भुगतान सुरक्षित है और फ़ीस में गिना गया है।',
  askThem: 'कृपया {where} से पूछें और नीचे दी गई संदर्भ संख्या बताएँ।',
  tryAgain: 'फिर से कोशिश करें',
  schedule: 'तारीखें और राशियाँ',
  when: 'कब',
  atStart: 'शुरुआती भुगतान, ऑनलाइन',
  now: 'अभी',
  debitedOn: '{day} को कटेगी',
  debitedOnBy: 'UPI से {upi} को, eNACH से {enach} को कटेगी',
  states: {
    scheduled: 'तय है',
    confirmed: 'सूचना दी गई',
    presented: 'बैंक के पास',
    debited: 'जमा हुई',
    settled: 'जमा हुई',
    bounced: 'नहीं कट सकी, बकाया है',
    skipped: 'स्कूल के रिकॉर्ड का इंतज़ार है',
    reversed: 'बैंक ने वापस ली, बकाया है',
    due: 'नहीं कटेगी: कृपया ऑनलाइन भरें',
    covered: 'दूसरे तरीके से जमा हुई',
    waived: 'अब देनी नहीं है',
    cancelled: 'रद्द',
  },
  terms: 'आप किस बात की सहमति दे रहे हैं',
  termsNext: 'इसके बाद आपसे किस बात की सहमति ली जाएगी',
  termSchedule:
    '{where} ऊपर लिखी राशियाँ तय तारीखों पर आपके खाते से लेगा। तारीख पर बैंक की छुट्टी हो, तो किस्त अगले कामकाजी दिन कटेगी।',
  termScheduleBefore:
    '{where} ऊपर लिखी राशियाँ तय तारीखों पर आपके खाते से लेगा। तारीख पर बैंक की छुट्टी हो, तो किस्त उससे पहले के कामकाजी दिन कटेगी।',
  termCap:
    'एक बार में {cap} से ज़्यादा कभी नहीं कटेगा। यह सीमा सबसे बड़ी किस्त से थोड़ी ऊपर है, ताकि फ़ीस बदलने पर भी काम चल सके।',
  termNotice: 'हर किस्त की सूचना राशि के साथ SMS और ई-मेल से कम से कम {hours} घंटे पहले मिलेगी।',
  stop: 'इसे कैसे रोकें',
  stopSay: 'जब चाहें, अपने बैंक या UPI ऐप में मैंडेट रद्द कर दें, या {where} से कहें। जो फ़ीस बाकी है, वह देनी होगी।',
  how: 'किस्तें किस तरीके से कटें?',
  rails: { upi_autopay: 'UPI ऑटोपे', enach: 'बैंक मैंडेट (eNACH)' },
  upiHint: 'अपने UPI ऐप में एक बार मंज़ूरी दें। तुरंत शुरू हो जाता है।',
  enachHint: 'नेट बैंकिंग, डेबिट कार्ड या आधार से; तरीका बैंक के पेज पर चुनें। पुष्टि में लगभग एक कामकाजी दिन लगता है।',
  registrationHint: 'खाते की जाँच के लिए ऐप {amount} माँगेगा; यह रकम कुछ दिनों में आपको वापस मिल जाएगी।',
  capHint: 'एक बार में ज़्यादा से ज़्यादा {cap}।',
  upiTooSmall: 'UPI ऑटोपे यहाँ उपलब्ध नहीं है: उससे एक बार में {limit} से ज़्यादा नहीं कट सकते।',
  consent: 'मैं सहमति देता/देती हूँ कि {where} ये किस्तें ऊपर लिखे अनुसार मेरे खाते से काटे।',
  noConsent: 'सहमत हों, तो कृपया इस बॉक्स पर सही का निशान लगाएँ। कुछ शुरू नहीं हुआ है और आपका कोई पैसा नहीं कटा है।',
  changed: 'आपके यह पेज खोलने के बाद तारीखें या राशियाँ बदल गई हैं। कुछ शुरू नहीं हुआ है। कृपया उन्हें देखकर फिर से सहमति दें।',
  payNow: 'अभी {amount} का भुगतान करें',
  toBank: 'अपने बैंक के पेज पर जाएँ',
  goOn: 'बैंक के पेज पर पूरा करें',
  another: 'दूसरा तरीका चुनें',
  mandate: 'आपका मैंडेट',
  way: 'तरीका',
  umrn: 'मैंडेट (UMRN)',
  upiReference: 'UPI संदर्भ संख्या',
  atMost: 'एक बार में ज़्यादा से ज़्यादा',
  validUntil: 'कब तक मान्य',
}

export const PLAN_SETUP_TEXTS: Record<Language, PlanSetupTexts> = { en, hi }
