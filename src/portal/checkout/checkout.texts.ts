/** Texts of the checkout in English and Hindi; `{x}` is a placeholder. */
export type Language = 'en' | 'hi'

const en = {
  language: 'English',
  sandbox: 'Sandbox: this is a test page, no real money moves.',
  title: 'Fees, {where}',
  titleWithStatus: '{status}: Fees, {where}',
  fees: 'Fees',
  feesFor: 'Fees for {who}',
  admissionNo: 'Admission no. {identifier}',
  class: 'Class {grade}',
  total: 'Total',
  forWhat: 'For',
  amount: 'Amount',
  reference: 'Reference',
  toPay: 'To pay',
  paid: 'Paid',
  waiting: 'Waiting for the bank',
  differs: 'The institute is looking at it',
  differsSay:
    'Your money has arrived, but with another amount than was asked for. The institute decides what becomes of it. Do not pay again; ask them with the reference below.',
  failed: 'Payment failed',
  expired: 'Expired',
  cancelled: 'Cancelled',
  closed: 'Closed',
  due: 'These fees are due.',
  dueUntil: 'You can pay here until {when}.',
  paidOn: 'Paid on {when}. Thank you.',
  refunded: '{amount} of it was refunded. Most banks show it within 5 to 7 working days.',
  waitingSay:
    'We are waiting for your bank. Do not pay again; this page updates by itself. If your bank says no, nothing is taken.',
  waitingStill: 'We are waiting for your bank. Do not pay again. If your bank says no, nothing is taken.',
  checkNow: 'Check now',
  stayStill: 'Stop updating by itself',
  failedSay: '{why} Your money has not left your account, or will come back by itself. You can try again.',
  why: {
    payer_cancelled: 'The payment was cancelled before it was completed.',
    cancelled: 'The payment was cancelled before it was completed.',
    insufficient_funds: 'The account did not have enough money.',
    bank_declined: 'The bank declined the payment.',
    abandoned: 'The payment was not completed in time.',
    taken_over: 'Another payment was started in its place.',
    expired: 'The payment was not completed in time.',
    refused:
      'Our payment partner does not take this payment in this way. Choose another way to pay, or ask the institute.',
    other: 'The bank did not accept the payment.',
  },
  startedSay: 'You have started to pay. Go on where you left off; you will not be charged twice.',
  openStill:
    'Please do not complete the payment you started. If it goes through all the same, this page says paid.',
  expiredSay:
    'This page no longer takes payments. No money has been taken. Ask the institute for a new link.',
  expiredOpenSay: 'This page no longer takes payments.',
  cancelledSay:
    'The institute has withdrawn this request. No money has been taken. Ask them if you think this is a mistake.',
  cancelledOpenSay: 'The institute has withdrawn this request.',
  awaySay: 'Online payment is not available here at the moment. Please ask the institute how to pay.',
  howToPay: 'How do you want to pay?',
  upi: 'UPI',
  card: 'Card',
  netbanking: 'Net banking',
  pay: 'Pay {amount}',
  goOn: 'Go on with the payment',
  receipt: 'Receipt {number}',
  download: 'Download the receipt (PDF)',
  back: 'Back to {where}',
  transaction: 'Transaction {id}',
  wrongTitle: 'Page not found',
  hostedTitle: 'Opening the payment page',
  hostedSay: 'One moment: the page of our payment partner opens by itself.',
  hostedFailed:
    'The page of our payment partner could not be opened. No money was taken. Please go back and try again.',
  hostedNeedsScript:
    'The page of our payment partner needs JavaScript. Please allow it in your browser, or open this link in another one.',
  wrongHead: 'We do not know this link',
  wrongSay:
    'Check that the whole link was copied, or ask the institute to send it again. No money has been taken.',
  troubleTitle: 'Please try again',
  troubleHead: 'We cannot show this page right now',
  troubleSay: 'If you were paying, do not pay again before this page says so. Please try again in a minute.',
}

export type Texts = typeof en

const hi: Texts = {
  language: 'हिन्दी',
  sandbox: 'सैंडबॉक्स: यह जाँच के लिए बना पेज है, इसमें असली पैसा नहीं कटता।',
  title: 'फ़ीस, {where}',
  titleWithStatus: '{status}: फ़ीस, {where}',
  fees: 'फ़ीस',
  feesFor: '{who} की फ़ीस',
  admissionNo: 'प्रवेश संख्या {identifier}',
  class: 'कक्षा {grade}',
  total: 'कुल',
  forWhat: 'किसके लिए',
  amount: 'राशि',
  reference: 'संदर्भ संख्या',
  toPay: 'भुगतान बाकी है',
  paid: 'भुगतान हो गया',
  waiting: 'बैंक के जवाब का इंतज़ार है',
  differs: 'संस्थान इसे देख रहा है',
  differsSay:
    'आपका पैसा आ गया है, पर माँगी गई रकम से अलग। आगे क्या करना है, यह संस्थान तय करेगा। दोबारा भुगतान न करें; नीचे दिया संदर्भ बताकर उनसे पूछें।',
  failed: 'भुगतान नहीं हो पाया',
  expired: 'समय-सीमा समाप्त',
  cancelled: 'रद्द किया गया',
  closed: 'बंद किया गया',
  due: 'यह फ़ीस जमा करनी है।',
  dueUntil: 'आप यहाँ {when} तक भुगतान कर सकते हैं।',
  paidOn: 'भुगतान {when} हुआ। धन्यवाद।',
  refunded: 'इसमें से {amount} वापस किए गए। ज़्यादातर बैंक इसे 5 से 7 कार्य दिवस में दिखाते हैं।',
  waitingSay:
    'हम आपके बैंक के जवाब का इंतज़ार कर रहे हैं। दोबारा भुगतान न करें; यह पेज अपने आप अपडेट होता रहेगा। बैंक ने मना किया तो आपका पैसा नहीं कटेगा।',
  waitingStill: 'हम आपके बैंक के जवाब का इंतज़ार कर रहे हैं। दोबारा भुगतान न करें। बैंक ने मना किया तो आपका पैसा नहीं कटेगा।',
  checkNow: 'अभी देखें',
  stayStill: 'अपने आप अपडेट होना रोकें',
  failedSay: '{why} आपके खाते से पैसा नहीं कटा है; अगर कटा हो तो अपने आप वापस आ जाएगा। आप फिर से कोशिश कर सकते हैं।',
  why: {
    payer_cancelled: 'भुगतान पूरा होने से पहले ही रद्द कर दिया गया।',
    cancelled: 'भुगतान पूरा होने से पहले ही रद्द कर दिया गया।',
    insufficient_funds: 'खाते में पर्याप्त पैसा नहीं था।',
    bank_declined: 'बैंक ने भुगतान की अनुमति नहीं दी।',
    abandoned: 'भुगतान समय पर पूरा नहीं हुआ।',
    taken_over: 'इसकी जगह दूसरा भुगतान शुरू किया गया।',
    expired: 'भुगतान समय पर पूरा नहीं हुआ।',
    refused: 'हमारा भुगतान सहयोगी इस तरीके से यह भुगतान नहीं लेता। भुगतान का दूसरा तरीका चुनें, या संस्थान से पूछें।',
    other: 'बैंक ने भुगतान स्वीकार नहीं किया।',
  },
  startedSay: 'आपने भुगतान शुरू किया है। जहाँ छोड़ा था, वहीं से आगे बढ़ें; पैसा दो बार नहीं कटेगा।',
  openStill: 'कृपया शुरू किया हुआ भुगतान पूरा न करें। फिर भी भुगतान हो गया, तो यह पेज बता देगा।',
  expiredSay: 'इस पेज पर अब भुगतान नहीं हो सकता। आपका कोई पैसा नहीं कटा है। संस्थान से नया लिंक माँगें।',
  expiredOpenSay: 'इस पेज पर अब भुगतान नहीं हो सकता।',
  cancelledSay: 'संस्थान ने यह माँग वापस ले ली है। आपका कोई पैसा नहीं कटा है। अगर आपको यह ग़लती लगे, तो संस्थान से पूछें।',
  cancelledOpenSay: 'संस्थान ने यह माँग वापस ले ली है।',
  awaySay: 'यहाँ अभी ऑनलाइन भुगतान नहीं हो सकता। भुगतान कैसे करें, यह संस्थान से पूछें।',
  howToPay: 'आप कैसे भुगतान करना चाहेंगे?',
  upi: 'यूपीआई (UPI)',
  card: 'कार्ड',
  netbanking: 'नेट बैंकिंग',
  pay: '{amount} का भुगतान करें',
  goOn: 'भुगतान जारी रखें',
  receipt: 'रसीद {number}',
  download: 'रसीद डाउनलोड करें (PDF)',
  back: '{where} पर वापस जाएँ',
  transaction: 'लेन-देन संख्या {id}',
  wrongTitle: 'पेज नहीं मिला',
  hostedTitle: 'भुगतान का पेज खुल रहा है',
  hostedSay: 'एक क्षण रुकें: हमारे भुगतान सहयोगी का पेज अपने आप खुलेगा।',
  hostedFailed: 'हमारे भुगतान सहयोगी का पेज नहीं खुल सका। आपका कोई पैसा नहीं कटा है। कृपया वापस जाकर फिर से कोशिश करें।',
  hostedNeedsScript:
    'हमारे भुगतान सहयोगी के पेज के लिए JavaScript ज़रूरी है। कृपया ब्राउज़र में इसे चालू करें, या यह लिंक किसी दूसरे ब्राउज़र में खोलें।',
  wrongHead: 'यह लिंक हमें नहीं मिला',
  wrongSay: 'देख लें कि पूरा लिंक कॉपी हुआ है, या संस्थान से लिंक फिर से माँगें। आपका कोई पैसा नहीं कटा है।',
  troubleTitle: 'कृपया फिर से कोशिश करें',
  troubleHead: 'यह पेज अभी नहीं खुल पा रहा है',
  troubleSay: 'अगर आप भुगतान कर रहे थे, तो यह पेज खुलने से पहले दोबारा भुगतान न करें। एक मिनट बाद फिर से कोशिश करें।',
}

export const TEXTS: Record<Language, Texts> = { en, hi }

export function fill(text: string, values: Record<string, string>): string {
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole)
}

/** The parent's choice, else the first supported language of Accept-Language. */
export function chooseLanguage(chosen: string | undefined, accepted: string | undefined): Language {
  if (isLanguage(chosen)) return chosen
  const wanted = (accepted ?? '').split(',').map(part => /^\s*([a-z]+)/i.exec(part)?.[1]?.toLowerCase())
  return wanted.find(isLanguage) ?? 'en'
}

export function isLanguage(text: unknown): text is Language {
  return text === 'en' || text === 'hi'
}
