/** A code of the catalogue as a person would say it: TUITION_FEE is “Tuition fee”. */
export function readable(code: string): string {
  return /^[A-Z0-9_]+$/.test(code) ? sentence(code.toLowerCase()) : code
}

/** "student.dropped" as a person would say it. */
export function sentence(what: string): string {
  const words = what.replaceAll(/[._]/g, ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** A school calls its classes 5 or Class 5, and UKG. */
export function className(grade: string): string {
  return /^\d/.test(grade) ? `Class ${grade}` : grade
}
