/** Reasons are written down in English; a family that reads Hindi is told them in Hindi. */
const HINDI: Record<string, string> = {
  'what it was for has been paid otherwise': 'इसकी राशि दूसरे तरीक़े से मिल गई है।',
  'the fee it was for has fallen': 'फ़ीस कम हो गई है।',
  'the plan is held': 'स्कूल ने किस्तें रोक दी हैं।',
  'the plan is locked': 'किस्तें अभी रुकी हैं।',
  'the plan was cancelled': 'किस्तें रद्द कर दी गई हैं।',
  'the mandate has ended': 'मैंडेट समाप्त हो गया है।',
  "the ERP's schedule changed it": 'स्कूल ने किस्त बदल दी है।',
  "it is not in the ERP's schedule any more": 'स्कूल ने किस्त हटा दी है।',
  "the ERP's schedule asks nothing for it": 'स्कूल ने किस्त माफ़ कर दी है।',
  'Its end date has passed.': 'मैंडेट की अवधि पूरी हो गई।',
  'The account did not have enough money.': 'खाते में पर्याप्त राशि नहीं थी।',
  'The bank could not process the debit.': 'बैंक कटौती पूरी नहीं कर सका।',
  'The debit never reached the bank.': 'कटौती बैंक तक नहीं पहुँची।',
  'The bank has not decided yet.': 'बैंक ने अभी निर्णय नहीं लिया है।',
  'The debit is above a limit of the bank or the mandate.': 'राशि बैंक या मैंडेट की सीमा से अधिक थी।',
  'The bank no longer has a valid mandate.': 'बैंक के पास मान्य मैंडेट नहीं है।',
  'The mandate was revoked or has ended.': 'मैंडेट रद्द या समाप्त हो गया है।',
  'The account is closed or cannot be debited any more.': 'खाता बंद है या उससे राशि नहीं काटी जा सकती।',
  'The payment was stopped by the payer or by law.': 'भुगतान खाताधारक या क़ानून ने रोक दिया।',
  'The bank takes it for a repeat of an earlier debit.': 'बैंक ने इसे पहले की कटौती का दोहराव माना।',
  'The bank returned the debit for a reason that a person has to look at.': 'बैंक ने कटौती लौटा दी; स्कूल देखेगा।',
}

/** A reason of one plan alone, such as two amounts, has no words here: the message does without it. */
export function reasonIn(language: 'en' | 'hi', reason: string): string {
  return language === 'en' ? reason : (HINDI[reason] ?? '')
}
