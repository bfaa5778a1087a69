/** How the consent ledger names a person's own page. */
export const pageActor = "preference_page";
