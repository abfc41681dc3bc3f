import { Type } from 'typebox'
import { clearable, field, kept, shown } from '../../http/fields.ts'
import { changedValue, studentFields } from '../students.schemas.ts'

/** What the master data routes take and answer. */
export const UserBody = Type.Object({
  name: field.text({ description: 'Full name.', examples: ['Asha Rao'] }),
  phone: field.phone({ description: 'Phone number.', examples: ['+91 98765 43210'] }),
  email: field.email({ description: 'E-mail address.', examples: ['asha@example.in'] }),
})

export const UserView = Type.Object({
  registration_id: shown.text({ description: 'The id of the user; register students under it.' }),
})

export const ProfileBody = Type.Object(
  {
    fullname: Type.Optional(kept(studentFields.fullname)),
    identifier: Type.Optional(kept(studentFields.identifier)),
    collector_code: Type.Optional(kept(field.code({ description: 'Branch code.', examples: ['MAIN'] }))),
    grade: Type.Optional(kept(studentFields.grade)),
    new_admission: Type.Optional(kept(studentFields.new_admission)),
    academic_year_start: Type.Optional(kept(studentFields.academic_year_start)),
    academic_year_end: Type.Optional(kept(studentFields.academic_year_end)),
    date_of_birth: Type.Optional(clearable(studentFields.date_of_birth)),
    primary_contact_name: Type.Optional(kept(studentFields.primary_contact_name)),
    primary_contact_number: Type.Optional(kept(studentFields.primary_contact_number)),
    primary_contact_email: Type.Optional(kept(studentFields.primary_contact_email)),
    custom_identifier: Type.Optional(clearable(studentFields.custom_identifier)),
  },
  { 'x-ascending': ['academic_year_start', 'academic_year_end'] },
)

export const ProfileChangeView = Type.Object({
  changed_at: shown.moment({ description: 'When.' }),
  source: shown.oneOf(['registration', 'update', 'import'], { description: 'What changed it.' }),
  changes: Type.Array(
    Type.Object({
      field: shown.text({ description: 'Such as `grade`.' }),
      before: changedValue('Absent when there was nothing.'),
      after: changedValue('Absent when it was cleared.'),
    }),
    { description: 'Field by field.' },
  ),
})

export const BranchQuery = Type.Object({
  collector_code: Type.Optional(
    field.code({ description: 'Only of this branch; not compared when the institute has one branch.' }),
  ),
})

export const BranchView = Type.Object({
  collector_code: shown.text({ description: 'Branch code.' }),
  name: shown.text({ description: 'Name of the branch.' }),
  is_default: shown.flag({ description: 'Where students go that are registered without a branch.' }),
})

const name = shown.text({ description: 'Its name; the code itself until it is given one.' })

export const GradeView = Type.Object({ code: shown.text({ description: 'Grade code.' }), name })

export const ComponentView = Type.Object({
  component_type: shown.text({ description: 'What a fee is for.' }),
  name,
})

export const DiscountView = Type.Object({
  discount_type: shown.text({ description: 'What a discount is given for.' }),
  name,
})
