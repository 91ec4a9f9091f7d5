/**
 * The exit code of a kernel one of whose ports was taken before it could listen there: whoever has chosen them chooses others.
 * Between the choice and the kernel any connection of the machine may get the port.
 */
export const PORTS_TAKEN = 3;
