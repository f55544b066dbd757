/** The reason why a person cannot add a cluster. */
export const ADDING_NEEDS_ADMIN = "Adding clusters needs the admin role: ask an administrator.";
