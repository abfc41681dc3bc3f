/** Students with the same number, however it is written, are one family; `s` is a student. */
export const FAMILY = `s.institute_id || ' ' || right(regexp_replace(s.primary_contact_number, '\\D', '', 'g'), 10)`
