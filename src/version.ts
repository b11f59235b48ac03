/** Version of Sluice, as in package.json (a test compares). */
export const VERSION = '0.3.0'
