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

/** Titles that schools give their columns, letters and digits only, tried in this order. */
export const ROSTER_TITLES: Titles<RosterField> = [
  ['date_of_birth', /^(dob|dateofbirth|birth(date|day)|bornon)$/],
  ['primary_contact_email', /e?mail/],
  ['primary_contact_number', /(mobile|^mob(no|number)?$|phone|whatsapp|^tel|contact(no|number)?$|^cell)/],
  ['registration_id', /^(registrationid|userid|parentid|familyid)$/],
  [
    'identifier',
    /^(adm|admission|admissionno|enrol|scholar|identifier|studentid|grno|regno|registrationno|uid)/,
  ],
  ['custom_identifier', /^(roll|customidentifier)/],
  ['section', /^(sec|section|div|division)$/],
  ['grade', /^(class|grade|std|standard|classname|gradename)$/],
  [
    'father_name',
    /^(father|fatherguardian|fatherorguardian|fathername|nameoffather|fathersname|parent|parentname|parentsname|primarycontactname)$/,
  ],
  ['mother_name', /^(mother|mothername|nameofmother|mothersname)$/],
  ['guardian_name', /^(guardian|guardianname|guardiansname)$/],
  ['category', /^(category|studentcategory|quota)$/],
  ['house', /^(house|housename)$/],
  ['new_admission', /^(newadmission|isnew|newstudent|new)$/],
  ['collector_code', /^(branch|branchcode|campus|collectorcode)$/],
  [
    'fullname',
    /^(name|fullname|student|studentname|nameofstudent|nameofthestudent|pupil|pupilname|childname|studentsname)$/,
  ],
]
