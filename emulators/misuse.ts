/** What the person who starts an emulator can mend: said without a stack trace. */
export class Misuse extends Error {}
