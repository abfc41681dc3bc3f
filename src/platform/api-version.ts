/** Version of the API document and of everything that it describes. */
export const API_VERSION = '1.0'
