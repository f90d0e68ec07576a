/** Whether a text can be the name of a header field, a cookie or a way to authenticate: a token (RFC 9110, section 5.6.2). */
export const isToken = (text: string) => /^[\w!#$%&'*+.^`|~-]+$/.test(text)
