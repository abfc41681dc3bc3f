import type { Titles } from '../matched-columns.rules.ts'

export const ROSTER_STATES = [
  'checking',
  'checked',
  'running',
  'done',
  'failed',
  'cancelled',
  'stopped',
] as const

/** What a column may be, beside a fee. */
export const ROSTER_FIELDS = [
  'identifier',
  'fullname',
  'grade',
  'section',
  'primary_contact_number',
  'other_contact_number',
  'surname',
  'father_name',
  'mother_name',
  'guardian_name',
  'primary_contact_email',
  'date_of_birth',
  'custom_identifier',
  'category',
  'house',
  'new_admission',
  'registration_id',
  'collector_code',
] as const
export type RosterField = (typeof ROSTER_FIELDS)[number]

const PHONE_TITLE =
  /(mobile|^mob(no|number)?$|phone|whatsapp|^tel|contact(no|nos|number|numbers|details)?$|^cell|^phno|^ph$|मोबाइल|फोन|फ़ोन)/

/** Titles that schools give their columns, letters and digits only, tried in this order. */
export const ROSTER_TITLES: Titles<RosterField> = [
  ['date_of_birth', /^(dob|dateofbirth|birth(date|day)?|bornon|dtofbirth|जन्म(तिथि|दिनांक)?)$/],
  ['primary_contact_email', /e?mail/],
  ['primary_contact_number', PHONE_TITLE],
  ['other_contact_number', PHONE_TITLE],
  ['registration_id', /^(registrationid|userid|parentid|familyid)$/],
  [
    'identifier',
    /^(adm|admission|admissionno|enrol|scholar|identifier|studentid|grno|regno|registrationno|uid|srno?ofadm|प्रवेश|दाखिला)/,
  ],
  ['custom_identifier', /^(roll|customidentifier)/],
  ['section', /^(sec|section|div|division)$/],
  ['grade', /^(class|grade|std|standard|classname|gradename|class(and)?sec(tion)?|cls|कक्षा|वर्ग)$/],
  [
    'father_name',
    /^(father|fatherguardian|fatherorguardian|fathername|nameoffather|nameofthefather|fathersname|पिता|पिताकानाम|parent|parentname|parentsname|primarycontactname)$/,
  ],
  ['mother_name', /^(mother|mothername|nameofmother|nameofthemother|mothersname|माता|माताकानाम)$/],
  ['guardian_name', /^(guardian|guardianname|guardiansname)$/],
  ['category', /^(category|studentcategory|quota)$/],
  ['surname', /^(surname|lastname|studentsurname)$/],
  ['house', /^(house|housename)$/],
  ['new_admission', /^(newadmission|isnew|newstudent|new)$/],
  ['collector_code', /^(branch|branchcode|campus|collectorcode)$/],
  [
    'fullname',
    /^(name|fullname|firstname|namesofstudents?|nameofpupil|nameofthepupil|nameofchild|nameofthechild|नाम|छात्रकानाम|विद्यार्थीकानाम|student|studentname|nameofstudent|nameofthestudent|pupil|pupilname|childname|studentsname)$/,
  ],
]
