"""Index types and enumerations of the shop; no code."""

from libc.stdint cimport int8_t, int32_t, int64_t, uint32_t, uint64_t

ctypedef int64_t tick_t
ctypedef int32_t index_t

cdef enum:
    NOBODY = -1

cdef enum rank_t:  # order of events at one instant; model.md, section 1
    FINISH
    SETUP_COMPLETE
    TRANSPORT_COMPLETE
    PICKUP
    BREAKDOWN
    REPAIR
    ARRIVAL
    PATIENCE
    WAKE
    BUDGET_REVIEW

cdef enum place_t:
    NOWHERE
    SOURCE
    VEHICLE
    MACHINE
    GATE  # from here to OUTBOUND a place of a cell
    INBOUND
    OUTBOUND
    DONE

cdef enum move_t:  # of an item between assignment and arrival
    STAYS
    ASKED  # waits for a vehicle
    ALLOTTED  # its vehicle is on the way
    LOADED

cdef enum:  # the lists a job can be in at once
    BY_PLACE  # gate, inbound, outbound
    BY_WAIT  # ready, requests
    BY_PROMISE  # assigned to a cell

cdef enum phase_t:  # of the item on a machine; shown as the state of the same number
    EMPTY
    IN_SETUP
    IN_PROCESS
    FINISHED

cdef enum shown_t:  # machine states, as metered; the first four follow phase_t
    IDLE
    SETUP
    PROCESSING
    BLOCKED
    DOWN
    STATES

cdef enum fleet_t:  # vehicle states
    STANDING
    EMPTY_LEG
    LOADED_LEG

cdef enum mode_t:
    NORMAL
    ECO
    PAUSE

cdef enum interruption_t:
    RESUME
    RESTART
    WAIT

cdef enum stranding_t:  # bits
    BY_BREAKDOWN = 1
    BY_PATIENCE = 2
    SPARED = 4  # not stranded with the rest of the dark cell

cdef enum cause_t:  # of event rows; the first four are those of down intervals
    C_BREAKDOWN
    C_MAINTENANCE
    C_SHIFT
    C_RECORDED
    C_PATIENCE
    C_NORMAL  # C_NORMAL + mode_t
    C_ECO
    C_PAUSE
    C_POWER
    C_WIP

cdef enum kind_t:  # event rows; the order is that of EVENT_KINDS
    K_ARRIVAL
    K_STAGE_RELEASE_READY
    K_ASSIGN
    K_UNASSIGN
    K_VEHICLE_MOVE
    K_TRANSPORT_START
    K_TRANSPORT_COMPLETE
    K_BUFFER_WAIT
    K_ADMISSION
    K_DISPATCH
    K_SETUP_START
    K_SETUP_COMPLETE
    K_START
    K_FINISH
    K_BLOCKING_START
    K_BLOCKING_RELEASE
    K_JOB_COMPLETE
    K_BREAKDOWN
    K_REPAIR
    K_STRANDED
    K_MODE
    K_ALARM
    K_BUDGET_REVIEW
    K_CAP

cdef enum status_t:
    RUNNING
    S_DONE
    S_DEADLOCK
    S_NO_PROGRESS
    S_HORIZON
    S_DECISION_LIMIT
